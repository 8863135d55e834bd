"""Speed of predictions: a million distinct cases with intervals, on one core.

    python bench.py alltoall.csv [GOAL_S]

Prints the processor time of each chosen model; with a goal exit code 1 if one takes longer.
"""

import sys
import time
import warnings

import numpy as np

import netsig

CASES = 1_000_000


def main() -> int:
    warnings.simplefilter("ignore", netsig.NetsigWarning)
    data, goal = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else float("inf")
    profile = netsig.fit(netsig.read_data(data))
    counts = np.arange(2, 34)[:, None]
    sizes = np.arange(CASES // 32) * 8 + 1
    slowest = 0.0
    for algorithm in profile.algorithms("alltoall"):
        for model in (None, "regimes"):
            began = time.process_time()
            found = profile.predict(
                "alltoall", counts, sizes, algorithm=algorithm, model=model, extrapolate=True
            )
            took = time.process_time() - began
            slowest = max(slowest, took)
            with_interval = np.isfinite(found.lower_s).mean()
            print(
                f"{algorithm} by {found.model}: {len(found)} predictions in {took:.2f} s of one processor, "
                f"{with_interval:.0%} with intervals"
            )
    print(f"slowest: {slowest:.2f} s")
    return int(slowest > goal)


if __name__ == "__main__":
    sys.exit(main())
