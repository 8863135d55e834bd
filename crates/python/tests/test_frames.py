"""Data frames: every way there and back gives the same fit."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import netsig


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", netsig.NetsigWarning)
        yield


def through_csv(data, tmp_path):
    path = tmp_path / "frame.csv"
    data.to_pandas().to_csv(path, index=False)
    return pa.table(pd.read_csv(path))


@pytest.mark.parametrize(
    "frame",
    [
        pytest.param(lambda data, _: data.to_pandas(), id="pandas"),
        pytest.param(lambda data, _: data.to_polars(), id="polars"),
        pytest.param(lambda data, _: pl.DataFrame(data), id="polars by Arrow"),
        pytest.param(lambda data, _: pa.table(data), id="pyarrow"),
        pytest.param(lambda data, _: pa.table(data).to_pandas(), id="pandas of pyarrow"),
        pytest.param(through_csv, id="pandas by CSV"),
        pytest.param(lambda data, _: data, id="itself"),
    ],
)
def test_there_and_back(data, profile, frame, tmp_path):
    other = netsig.Dataset.from_arrow(
        frame(data, tmp_path), provenance=data.provenance, name=data.name
    )
    assert len(other) == len(data)
    again = pa.table(other)
    assert again.equals(pa.table(data))
    assert netsig.fit(other).to_toml() == profile.to_toml()


def test_rows_are_those_of_the_file(data, tmp_path):
    path = tmp_path / "own.csv"
    data.write(path)
    again = netsig.read_data(path)
    assert pa.table(again).equals(pa.table(data))
    assert again.provenance == data.provenance
    frame = data.to_pandas()
    assert list(frame.columns) == data.columns == list(netsig.Dataset.columns)
    assert len(frame) == len(data)
    rows = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    assert len(rows) == len(data) + 1


def test_pyarrow_keeps_the_provenance(data):
    assert netsig.Dataset.from_arrow(pa.table(data)).provenance == data.provenance
    assert netsig.Dataset.from_arrow(data.to_polars()).provenance == {}


def test_selected_rows(data):
    small = data.to_polars().filter(pl.col("size_bytes") < 4096)
    part = netsig.Dataset.from_arrow(small, provenance=data.provenance)
    assert len(part) == len(small) > 0


def test_bad_cells_are_named(data):
    frame = data.to_pandas().head(3)
    with pytest.raises(netsig.UsageError, match=r'^table:1: column "time_s" is missing; the header must name'):
        netsig.Dataset.from_arrow(frame.drop(columns="time_s"))
    bad = frame.assign(time_s=[1e-3, -1.0, 1e-3])
    with pytest.raises(netsig.UsageError, match=r'^mine:3: time_s "-1" is not a positive time; write seconds'):
        netsig.Dataset.from_arrow(bad, name="mine")
    bad = frame.assign(size_bytes=[1.0, 2.5, 3.0])
    with pytest.raises(netsig.UsageError, match=r'^table:3: size_bytes "2.5" is not an integer; write a number'):
        netsig.Dataset.from_arrow(bad)
    bad = frame.assign(procs=pd.to_datetime(["2026-01-01"] * 3))
    with pytest.raises(netsig.UsageError, match=r'^table: the column "procs" is of Timestamp.*; convert it'):
        netsig.Dataset.from_arrow(bad)


def test_answers_are_tables(profile):
    found = profile.predict("alltoall", [[4], [8]], "1KiB..8KiB")
    frame = found.to_pandas()
    assert frame.equals(pa.table(found.table()).to_pandas())
    assert np.array_equal(frame["time_s"].to_numpy(), found.time_s.ravel())
    chosen = profile.select("alltoall", [4, 8], 1024)
    assert pl.DataFrame(chosen).filter(pl.col("rank") == 1)["algorithm"].to_list() == chosen.best.tolist()
    table = chosen.table()
    assert table["rank"].tolist() == [row["rank"] for row in table.to_dicts()]
    with pytest.raises(KeyError, match="take one of: collective"):
        table["rnk"]
    assert pl.DataFrame(profile.parameters())["parameter"].to_list()[:2] == ["alpha_s", "beta_s_per_byte"]
    assert set(profile.choices()["algorithm"]) == set(profile.algorithms("alltoall"))
