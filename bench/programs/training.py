#!/usr/bin/python3
"""Trains a small network by gradient descent, each rank on data of its own.

Every step adds up the gradients of all ranks by Allreduce, as many calls as the model has arrays. Prints the seconds
inside Allreduce (of the slowest rank), losses of rank 0, the norms of the weights, and the SHA-256 of their bits. All ranks
must have the same bits.
"""

import argparse
import hashlib
import os

# More threads than processors would wait for each other, and could change the order of sums.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()

INPUTS, HIDDEN, OUTPUTS = 64, 128, 32
SAMPLES = 64
RATE = 0.05


def numbers(shape, *seed):
    return np.random.default_rng(seed).standard_normal(shape)


def gradients(weights, data, wanted):
    """Loss and gradients of a network with one hidden layer, and the mean of squares as loss."""
    first, first_bias, second, second_bias = weights
    hidden = np.tanh(data @ first + first_bias)
    error = hidden @ second + second_bias - wanted
    back = 2 * error / error.size
    through = (back @ second.T) * (1 - hidden**2)
    found = [data.T @ through, through.sum(axis=0), hidden.T @ back, back.sum(axis=0)]
    return np.mean(error**2), [np.ascontiguousarray(array) for array in found]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=40)
    options = parser.parse_args()

    shapes = [(INPUTS, HIDDEN), HIDDEN, (HIDDEN, OUTPUTS), OUTPUTS]
    weights = [0.1 * numbers(shape, 1, place) for place, shape in enumerate(shapes)]
    data = numbers((SAMPLES, INPUTS), 2, rank)
    wanted = np.sin(data @ numbers((INPUTS, OUTPUTS), 3))
    seconds = 0.0
    losses = []
    for _ in range(options.steps):
        loss, parts = gradients(weights, data, wanted)
        sums = [np.empty_like(part) for part in parts]
        comm.Barrier()
        start = MPI.Wtime()
        for part, total in zip(parts, sums):
            comm.Allreduce(part, total)
        seconds += MPI.Wtime() - start
        for array, total in zip(weights, sums):
            array -= RATE * total / ranks
        losses.append(loss)

    digest = hashlib.sha256(b"".join(array.tobytes() for array in weights)).hexdigest()
    digests = comm.gather(digest)
    slowest = comm.reduce(seconds, op=MPI.MAX)
    if rank == 0:
        norms = " ".join(f"{np.linalg.norm(array):.12g}" for array in weights)
        agree = "equal" if set(digests) == {digest} else "DIFFERENT"
        print(f"Allreduce {slowest:.6f} s")
        print(f"losses {losses[0]:.12g} {losses[-1]:.12g}, norms {norms}")
        print(f"weights {agree} on all {ranks} ranks, sha256 {digest}")


if __name__ == "__main__":
    main()
