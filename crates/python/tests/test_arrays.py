"""Arrays of any layout and kind give the same as single values; threads may share a profile."""

import os
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import polars as pl
import pytest

import netsig

COUNTS = np.array([[3], [5], [8]])
SIZES = np.array([1, 100, 4096, 70_000])


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", netsig.NetsigWarning)
        yield


def test_broadcast_as_single_values(profile):
    found = profile.predict("alltoall", COUNTS, SIZES)
    for (row, column), time in np.ndenumerate(found.time_s):
        one = profile.predict("alltoall", int(COUNTS[row, 0]), int(SIZES[column]))
        assert isinstance(one.time_s, float)
        assert one.shape == ()
        assert (one.time_s, one.lower_s, one.upper_s) == (time, found.lower_s[row, column], found.upper_s[row, column])
        assert one.standing == found.standing[row, column]
    assert ((found.lower_s <= found.time_s) & (found.time_s <= found.upper_s)).all()


@pytest.mark.parametrize("kind", ["int8", "int16", "uint16", "int32", "uint32", "int64", "uint64", ">i4"])
def test_kinds_of_numbers(profile, kind):
    expected = profile.predict("alltoall", COUNTS, 100).time_s
    assert np.array_equal(profile.predict("alltoall", COUNTS.astype(kind), 100).time_s, expected)


def test_layouts(profile):
    counts, sizes = np.broadcast_arrays(COUNTS, SIZES)
    expected = profile.predict("alltoall", COUNTS, SIZES).time_s
    for arrange in (np.asfortranarray, lambda a: np.repeat(a, 2, axis=1)[:, ::2], lambda a: a[::-1][::-1], np.array):
        assert np.array_equal(profile.predict("alltoall", arrange(counts), arrange(sizes)).time_s, expected)
    assert np.array_equal(profile.predict("alltoall", COUNTS.tolist(), SIZES.tolist()).time_s, expected)
    row = expected[2]
    for sizes in (pd.Series(SIZES), pl.Series(SIZES), tuple(SIZES), [np.int64(size) for size in SIZES]):
        assert np.array_equal(profile.predict("alltoall", np.array(8), sizes).time_s, row)
    read_only = SIZES.copy()
    read_only.flags.writeable = False
    assert np.array_equal(profile.predict("alltoall", np.int8(8), read_only).time_s, row)


def test_empty(profile):
    for empty in ([], np.empty((0, 3), int)):
        found = profile.predict("alltoall", 8, empty)
        assert found.time_s.shape == np.shape(empty)
        assert len(found.table()) == 0
    assert profile.select("alltoall", 8, []).best.shape == (0,)


def test_text(profile):
    sizes = [1024, 2048, 4096]
    expected = profile.predict("alltoall", 8, sizes).time_s
    for text in ("1KiB..4KiB", "1KiB,2048,4096", ["1KiB", "2KiB", "4096"]):
        assert np.array_equal(profile.predict("alltoall", "8", text).time_s, expected)
    assert profile.predict("alltoall", 8, "1.5KiB").size_bytes == 1536


def test_threads(profile):
    expected = profile.predict("alltoall", COUNTS, SIZES).time_s
    with ThreadPoolExecutor(8) as pool:
        tasks = [pool.submit(profile.predict, "alltoall", COUNTS, SIZES) for _ in range(64)]
        for task in tasks:
            assert np.array_equal(task.result().time_s, expected)


def test_objects_are_shown(profile, data):
    assert repr(profile.predict("alltoall", 8, "1KiB")).startswith("Predictions(alltoall library by ")
    assert repr(data) == f"Dataset({len(data)} rows of {data.name})"
    assert "12 hosts" in repr(netsig.Network("ethernet-12x40"))
    assert "ethernet-12x40" in netsig.scenarios()


def test_a_machine_without_mpi(profile_file):
    code = (
        "import netsig, sys\n"
        "profile = netsig.Profile.read(sys.argv[1])\n"
        "print(profile.predict('alltoall', 8, 1024).time_s)\n"
    )
    bare = {"PATH": "/nonexistent", "LD_LIBRARY_PATH": ""}
    out = subprocess.run(
        [sys.executable, "-I", "-W", "ignore", "-c", code, str(profile_file)],
        env=bare, capture_output=True, text=True, check=True,
    )
    assert float(out.stdout) > 0
    linked = subprocess.run(["ldd", netsig._netsig.__file__], capture_output=True, text=True, check=True)
    assert "mpi" not in linked.stdout.lower()
    assert "libpython" not in linked.stdout


def test_version():
    assert os.environ.get("NETSIG") is None or netsig.__version__ in subprocess.run(
        [os.environ["NETSIG"], "--version"], capture_output=True, text=True, check=True
    ).stdout
