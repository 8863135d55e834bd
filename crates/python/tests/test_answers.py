"""Answers equal those of the command line."""

import csv
import io
import warnings

import numpy as np
import pytest

import netsig
from conftest import SOURCES

SCENARIO = "ethernet-12x40"


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def same(table, text):
    """Each cell of the rows of the command line, numbers bit for bit."""
    found, expected = table.to_dicts(), rows(text)
    assert len(found) == len(expected) > 0
    for row, expected_row in zip(found, expected, strict=True):
        for key, text_cell in expected_row.items():
            cell = row[key]
            if isinstance(cell, bool):
                assert str(cell).lower() == text_cell, (key, row, expected_row)
            elif isinstance(cell, int | float):
                assert cell == float(text_cell), (key, row, expected_row)
            else:
                assert (cell or "") == text_cell, (key, row, expected_row)


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", netsig.NetsigWarning)
        yield


@pytest.mark.parametrize("algorithm", ["library", "library:pairwise", "pairwise", "bruck:2"])
@pytest.mark.parametrize("options", [{}, {"statistic": "mean"}, {"model": "regimes"}])
def test_predictions(cli, profile, profile_file, algorithm, options):
    if algorithm not in profile.algorithms("alltoall") and "model" in options:
        pytest.skip("was not measured")
    words = [word for key, value in options.items() for word in (f"--{key}", value)]
    sizes = "64..4MiB,1000,3333"
    code, out, _ = cli(
        "predict", profile_file, "--collective", "alltoall", "--algorithm", algorithm, "--procs", "2..64",
        "--size", sizes, "--extrapolate", "--format", "csv", *words,
    )
    assert code == 0
    counts = 2 ** np.arange(1, 7)
    found = profile.predict(
        "alltoall", counts[:, None], sizes, algorithm=algorithm, extrapolate=True, **options
    )
    assert found.shape == found.time_s.shape == (6, 19)
    assert (found.procs[:, 0] == counts).all()
    same(found.table(), out)


def test_quantiles(cli, profile, profile_file):
    code, out, _ = cli(
        "predict", profile_file, "--collective", "alltoall", "--algorithm", "library:pairwise", "--procs",
        "8..16", "--size", "1KiB..64KiB", "--model", "regimes", "--quantile", "0.9", "--format", "csv",
    )
    assert code == 0
    found = profile.predict(
        "alltoall", [[8], [16]], "1KiB..64KiB", algorithm="library:pairwise", model="regimes", quantile=0.9
    )
    same(found.table(), out)


def test_all_algorithms(cli, tmp_path):
    data = netsig.read_data(SOURCES / "examples/bcast.csv")
    path = tmp_path / "bcast.toml"
    netsig.fit(data).write(path)
    code, out, _ = cli("predict", path, "--collective", "bcast", "--procs", "8,16", "--size", "64KiB", "--format", "csv")
    assert code == 0
    found = netsig.Profile.read(path).predict("bcast", [8, 16], "64KiB", algorithm=None)
    together = [row for predictions in found.values() for row in predictions.table().to_dicts()]
    assert [row["time_s"] for row in together] == [float(row["time_s"]) for row in rows(out)]
    assert [row["algorithm"] for row in together] == [row["algorithm"] for row in rows(out)]


def test_selections(cli, profile, profile_file):
    code, out, _ = cli(
        "select", profile_file, "--collective", "alltoall", "--procs", "4,8,12", "--size", "256..256KiB",
        "--format", "csv",
    )
    assert code == 0
    found = profile.select("alltoall", [[4], [8], [12]], "256..256KiB")
    same(found.table(), out)
    best = [row["algorithm"] for row in rows(out) if row["rank"] == "1"]
    assert found.best.ravel().tolist() == best
    code, out, _ = cli(
        "select", profile_file, "--collective", "alltoall", "--procs", "8,12", "--size", "256..256KiB",
        "--show", "cross-overs", "--format", "csv",
    )
    assert code == 0
    same(profile.cross_overs("alltoall", [8, 12], "256..256KiB"), out)


@pytest.mark.parametrize("model", ["fluid", "tcp", "loggp"])
def test_simulations(cli, model):
    seed = {"seed": 3} if model == "tcp" else {}
    words = ["--seed", "3"] if seed else []
    code, out, _ = cli(
        "simulate", "--network", SCENARIO, "--collective", "alltoall", "--algorithm", "pairwise",
        "--procs", "4,8", "--size", "1KiB,32KiB", "--model", model, "--set", "L=60us", "--format", "csv", *words,
    )
    assert code == 0
    found = netsig.simulate(
        SCENARIO, "alltoall", "pairwise", [4, 8], [[1024], [32768]], model=model, settings={"L": "60us"}, **seed
    )
    assert found.time_s.shape == (2, 2)
    same(found.table(), out)


def test_comparisons(cli, data):
    path = SOURCES / "examples/alltoall.csv"
    code, out, _ = cli("compare", path, "--train", "procs<=6", "--format", "csv")
    assert code == 0
    same(netsig.compare(data, train="procs<=6"), out)


def test_profiles(cli, tmp_path, profile_file):
    """The same fit as the command line, but for the name of the data."""
    out = tmp_path / "own.toml"
    path = SOURCES / "examples/alltoall.csv"
    code, _, _ = cli("fit", path, "-o", out)
    assert code == 0
    assert out.read_text() == profile_file.read_text()
    network = netsig.Network(SCENARIO)
    code, _, _ = cli("fit", path, "-o", out, "--network", SCENARIO, "--statistic", "median", "--confidence", "0.95")
    assert code == 0
    profile = netsig.fit(netsig.read_data(path), network=network, statistic="median", confidence=0.95)
    assert profile.to_toml() == out.read_text()
    assert netsig.Profile.parse(profile.to_toml()).to_toml() == profile.to_toml()


def test_models(cli):
    code, out, _ = cli("models", "--format", "csv")
    assert code == 0
    formulas = {(row["subject"], row["model"]): row["formula"] for row in netsig.models().to_dicts()}
    assert formulas == {(row["subject"], row["model"]): row["formula"] for row in rows(out)}


@pytest.mark.parametrize(
    ("program", "file"),
    [("osu", "osu-5.3-alltoall-p8.txt"), ("imb", "imb-2021.11.txt"), ("reprompi", "reprompi-summary-p4.txt")],
)
def test_imports(cli, tmp_path, program, file):
    path = SOURCES / "crates/base/tests/outputs" / file
    out, written = tmp_path / "cli.csv", tmp_path / "python.csv"
    code, _, _ = cli("import", program, path, "-o", out)
    assert code == 0
    netsig.import_data(program, path).write(written)
    assert written.read_text() == out.read_text()


def test_the_verdict_is_that_of_fit(cli, data, tmp_path):
    profile_file = tmp_path / "alltoall.toml"
    code, out, _ = cli("fit", SOURCES / "examples/alltoall.csv", "-o", profile_file)
    assert code == 0
    told = " ".join(out.split())
    answers = netsig.Profile.read(profile_file).verdict(data).to_dicts()
    assert [row["question"] for row in answers] == ["Contended?", "Losses", "Setting", "Preloaded", "How sure"]
    for row in answers:
        assert f"{row['question']} {row['answer']} {row['command'] or ''}".strip() in told
