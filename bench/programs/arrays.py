#!/usr/bin/python3
"""Alltoall, Alltoallv, Bcast and Scatter of NumPy arrays.

Prints the time of each collective, the sum over its calls of the slowest rank's time, and the
SHA-256 of all that all ranks received. Every call sends other data, the same in every run.
"""

import argparse
import hashlib

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()


def numbers(count, *seed):
    return np.random.default_rng(seed).random(count)


def alltoall(elements, call):
    send = numbers(elements * ranks, 1, elements, call, rank)
    receive = np.zeros_like(send)
    return receive, lambda: comm.Alltoall(send, receive)


def alltoallv(elements, call):
    """From rank i to rank j none, half, all or one and a half of the elements."""

    def count(source, destination):
        return elements * ((source + 2 * destination + call) % 4) // 2

    send_counts = [count(rank, other) for other in range(ranks)]
    receive_counts = [count(other, rank) for other in range(ranks)]
    send = numbers(sum(send_counts), 2, elements, call, rank)
    receive = np.zeros(sum(receive_counts))
    return receive, lambda: comm.Alltoallv([send, send_counts], [receive, receive_counts])


def bcast(elements, call):
    array = numbers(elements, 3, elements, call) if rank == 0 else np.zeros(elements)
    return array, lambda: comm.Bcast(array, root=0)


def scatter(elements, call):
    send = numbers(elements * ranks, 4, elements, call) if rank == 0 else None
    receive = np.zeros(elements)
    return receive, lambda: comm.Scatter(send, receive, root=0)


COLLECTIVES = {"Alltoall": alltoall, "Alltoallv": alltoallv, "Bcast": bcast, "Scatter": scatter}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1024,16384,65536,262144", help="bytes a piece")
    parser.add_argument("--repetitions", type=int, default=5, help="calls of each size")
    parser.add_argument("--collectives", default=",".join(COLLECTIVES))
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]

    everything = hashlib.sha256()
    for name in options.collectives.split(","):
        digest = hashlib.sha256()
        total = 0.0
        for size in sizes:
            times = np.zeros(options.repetitions)
            for call in range(options.repetitions):
                received, communicate = COLLECTIVES[name](size // 8, call)
                comm.Barrier()
                start = MPI.Wtime()
                communicate()
                times[call] = MPI.Wtime() - start
                digest.update(received)
            slowest = np.zeros_like(times)
            comm.Allreduce(times, slowest, op=MPI.MAX)
            total += slowest.sum()
            if rank == 0:
                print(f"{name:10} {size:8} B {slowest.sum():10.6f} s", flush=True)
        digests = comm.gather(digest.digest())
        if rank == 0:
            combined = hashlib.sha256(b"".join(digests))
            everything.update(combined.digest())
            print(f"{name:10} {'total':>8}   {total:10.6f} s  {combined.hexdigest()}", flush=True)
    if rank == 0:
        print(f"sha256 {everything.hexdigest()}")


if __name__ == "__main__":
    main()
