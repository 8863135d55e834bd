#!/bin/sh
# Runs hpcc with hpccinf.txt until its MPIFFT is done, and prints the results of MPIFFT.
#
#   mpifft.sh mpirun -np 8 hpcc
#
# hpcc has no option to run one test alone. The tests before MPIFFT are short with this input; those
# after it take many minutes on a slow network, so this stops them. The command runs in a temporary
# folder: give paths in it from the root.

[ $# -gt 0 ] || { echo "usage: mpifft.sh mpirun -np 8 hpcc" >&2; exit 2; }
input=$(cd "$(dirname "$0")" && pwd)/hpccinf.txt
folder=$(mktemp -d) || exit 1
trap 'rm -r "$folder"' EXIT
cd "$folder" && cp "$input" . || exit 1

"$@" >output 2>&1 &
command=$!
until grep -qs '^End of MPIFFT section' hpccoutf.txt; do
    kill -0 $command 2>/dev/null || { echo "hpcc ended before MPIFFT" >&2; cat output >&2; exit 1; }
    sleep 0.5
done
kill $command
wait $command

# Passed if the error is below 16 (the threshold in hpccinf.txt) x 2^-53 x log(vector size).
awk '/^Begin of MPIFFT section/ { on = 1 }
     /^End of MPIFFT section/ { on = 0 }
     on && /^Vector size/ { n = $3 }
     on && /^Computing/ { forward = $NF }
     on && /^Inverse FFT/ { back = $NF }
     on && /^max/ { error = $2; ok = error / log(n) * 2 ^ 53 < 16 }
     END { printf "MPIFFT of %s: forward %s s back %s s error %s %s\n",
               n, forward, back, error, ok ? "passed" : "FAILED"; exit !ok }' hpccoutf.txt
