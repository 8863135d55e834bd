"""Datasets of arrays and data frames with missing columns, and the cells of a dataset."""

import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import netsig

SIZES = np.array([1024, 4096])
TIMES = np.array([[1e-3, 2e-3], [3e-3, 4e-3], [5e-3, 7e-3]])


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", netsig.NetsigWarning)
        yield


def test_arrays_broadcast_and_the_rest_has_usual_values():
    data = netsig.Dataset.from_arrays(collective="alltoall", procs=8, size_bytes=SIZES, time_s=TIMES, name="mine")
    frame = data.to_pandas()
    assert frame["time_s"].tolist() == TIMES.ravel().tolist()
    assert frame["size_bytes"].tolist() == [1024, 4096] * 3
    assert frame["repetition"].tolist() == [0, 0, 1, 1, 2, 2]
    for column, value in {"experiment": "collective", "algorithm": "library", "procs": 8, "launch": 0}.items():
        assert set(frame[column]) == {value}
    assert data.name == "mine" and data.provenance == {}


def columns_of(data):
    return {name: data.to_pandas()[name].to_numpy() for name in data.columns}


@pytest.mark.parametrize(
    "again",
    [
        pytest.param(lambda data, facts: netsig.Dataset.from_arrays(**columns_of(data), **facts), id="arrays"),
        pytest.param(lambda data, facts: netsig.Dataset.from_pandas(data.to_pandas(), **facts), id="pandas"),
        pytest.param(lambda data, facts: netsig.Dataset.from_polars(data.to_polars(), **facts), id="polars"),
    ],
)
def test_there_and_back(data, profile, again):
    facts = {"provenance": data.provenance, "name": data.name}
    other = again(data, facts)
    assert pa.table(other).equals(pa.table(data))
    assert other == data
    assert list(other.provenance.items()) == list(data.provenance.items()) == list(data.provenance.items())
    assert netsig.fit(other).to_toml() == profile.to_toml()


def test_rejected_repetitions_and_statistics_of_other_programs_survive(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(
        "experiment,collective,algorithm,procs,size_bytes,repetition,launch,time_s,status,statistic,averaged\n"
        "collective,alltoall,library,4,8,0,0,0.5,ok,,\n"
        "collective,alltoall,library,4,8,1,0,,wrong-data,,\n"
        "collective,alltoall,library,8,8,0,0,0.7,ok,max-over-ranks,10\n"
    )
    data = netsig.read_data(path)
    for other in (
        netsig.Dataset.from_arrays(**dict(data)),
        netsig.Dataset.from_arrow(data),
        netsig.Dataset.from_pandas(data.to_pandas()),
        netsig.Dataset.from_polars(data.to_polars()),
    ):
        assert pa.table(other).equals(pa.table(data))
        assert other == data
    assert netsig.Dataset.from_arrow(data, provenance={"a": "b"}) != data
    assert netsig.Dataset.from_pandas(data.to_pandas().head(2)) != data


def test_facts_stay_in_their_order(data, profile, tmp_path):
    texts = []
    for path in (tmp_path / "one.csv", tmp_path / "two.csv"):
        netsig.Dataset.from_pandas(data.to_pandas(), provenance=data.provenance).write(path)
        texts.append(path.read_text())
        assert list(netsig.read_data(path).provenance) == list(data.provenance)
    assert texts[0] == texts[1]
    assert list(profile.provenance) == list(profile.provenance)
    turned = dict(reversed(data.provenance.items()))
    assert netsig.Dataset.from_arrow(data, provenance=turned) == data


def test_a_column_that_is_there_twice_is_refused():
    frame = pd.DataFrame([[4, 8, 1.0, 2.0]], columns=["procs", "size_bytes", "time_s", "time_s"])
    with pytest.raises(netsig.UsageError, match="^the column time_s is there twice; drop one$"):
        netsig.Dataset.from_pandas(frame, collective="bcast")


def test_frames_lack_what_is_constant():
    pandas = pd.DataFrame({"procs": [4, 8], "size_bytes": [1024, 1024], "time_s": [1e-3, 2e-3]})
    polars = pl.DataFrame({"procs": [4, 8], "size_bytes": [1024, 1024], "time_s": [1e-3, 2e-3]})
    expected = netsig.Dataset.from_arrays(
        collective="bcast", algorithm="binomial", procs=[4, 8], size_bytes=1024, time_s=[1e-3, 2e-3], launch=2
    )
    for other in (
        netsig.Dataset.from_pandas(pandas, collective="bcast", algorithm="binomial", launch=2),
        netsig.Dataset.from_polars(polars, collective="bcast", algorithm="binomial", launch=2),
    ):
        assert pa.table(other).equals(pa.table(expected))
    with pytest.raises(netsig.UsageError, match="^procs is a column of the frame and a constant too; drop one"):
        netsig.Dataset.from_pandas(pandas, collective="bcast", procs=4)
    with pytest.raises(netsig.UsageError, match="^a list is given where a data frame of pandas is needed; give one"):
        netsig.Dataset.from_pandas([1], collective="bcast")
    with pytest.raises(netsig.ArgumentTypeError, match=r"^a LazyFrame is given where a data frame of Polars .* frame\.collect\(\)"):
        netsig.Dataset.from_polars(polars.lazy(), collective="bcast")


def test_pairs_have_no_collective():
    data = netsig.Dataset.from_arrays(experiment="pingpong", procs=2, size_bytes=SIZES, time_s=TIMES)
    frame = data.to_pandas()
    assert frame["collective"].isna().all() and frame["algorithm"].isna().all()


GOOD = {"collective": "alltoall", "procs": 8, "size_bytes": SIZES, "time_s": TIMES}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"time_s": None}, "^the column time_s is missing; give time_s="),
        ({"procs": None}, "^the column procs is missing"),
        ({"collective": None}, "^the column collective is missing"),
        ({"size_bytes": [1, 2, 3]}, r"^the shapes of the columns do not broadcast: .*size_bytes \(3,\).*time_s \(3, 2\)"),
        ({"size_bytes": [[1], [1, 2]]}, r"^the column size_bytes is no array \("),
        ({"size": 8}, '^"size" is no column of a data file; .*size_bytes'),
        ({"time_s": [1e-3, -1.0]}, r"^time_s\[1\] is -1; give times in seconds, finite and above 0$"),
        ({"time_s": [0.0, 1.0]}, r"^time_s\[0\] is 0; give"),
        ({"time_s": [1.0, np.inf]}, r"^time_s\[1\] is inf; give"),
        ({"time_s": [np.nan, 1.0]}, r"^time_s\[0\] is NaN; give"),
        ({"procs": 2.5}, r"^procs\[0\] is 2.5; write a whole number from 1$"),
        ({"procs": 0}, r"^procs\[0\] is 0; write"),
        ({"procs": [4, None]}, r"^procs\[1\] is missing; write"),
        ({"size_bytes": [1, -1]}, r"^size_bytes\[1\] is -1; write"),
        ({"collective": ["bcast", "alltall"]}, r'^collective\[1\] is "alltall"; did you mean alltoall'),
        ({"algorithm": ["two\nlines", "x"], "procs": [4, 0]}, r"^procs\[1\] is 0; write"),
        ({"status": "a; b"}, r'^status\[0\] is "a; b"; write one of: late'),
        ({"experiment": "x"}, r'^experiment\[0\] is "x"; write one of'),
        ({"part": [0, -1]}, r"^part\[1\] is -1; write a number such as 0$"),
        ({"sync_error_s": -1}, r"^sync_error_s\[0\] is -1; write seconds"),
        ({"status": "x"}, r'^status\[0\] is "x"; write one of: late'),
        ({"launch": np.array(["2026-01-01"], dtype="datetime64[D]")}, "^the column launch is an array of datetime64"),
    ],
)
def test_what_cannot_be_used_is_named_in_one_line(changes, message):
    with pytest.raises(netsig.UsageError, match=message) as refusal:
        netsig.Dataset.from_arrays(**{**GOOD, **changes})
    assert "\n" not in str(refusal.value)


def test_cells(data):
    frame = data.to_pandas()
    keys = ["collective", "algorithm", "procs", "size_bytes"]
    grouped = frame[frame.experiment == "collective"].groupby(keys)
    cells = pd.DataFrame(data.cells().to_dicts())
    cells = cells[cells.experiment == "collective"].set_index(keys)
    times = grouped.time_s
    expected = pd.DataFrame(
        {
            "repetitions": times.count(),
            "median_s": times.median(),
            "mean_s": times.mean(),
            "deviation_s": times.std(),
            "min_s": times.min(),
            "max_s": times.max(),
            "retransmits": grouped.retransmits.sum(),
            "rtos": grouped.rtos.sum(),
        }
    )
    assert len(cells) == len(expected) > 20
    found = cells.loc[expected.index, expected.columns].astype(float)
    assert np.allclose(found, expected.astype(float), rtol=1e-12, atol=0)


def test_a_single_repetition_has_no_deviation_and_unread_counters_are_null():
    data = netsig.Dataset.from_arrays(**{**GOOD, "time_s": [1e-3, 2e-3]})
    row = data.cells().to_dicts()[0]
    assert row["deviation_s"] == 0 and row["repetitions"] == 1 and row["retransmits"] is None


def test_nothing_but_numpy_is_needed_for_pandas_less_columns():
    """The module imports neither pandas nor matplotlib by itself."""
    program = "import sys, netsig; assert not {'pandas', 'polars', 'pyarrow', 'matplotlib'} & set(sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
