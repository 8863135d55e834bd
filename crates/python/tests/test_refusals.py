"""Errors are one exception with the text of the command line, and say what, where and how to fix."""

import warnings

import numpy as np
import pytest

import netsig
from netsig._netsig import _in_python as in_python


def refused(lines):
    return in_python("\n".join(line.removeprefix("netsig: ") for line in lines))


@pytest.mark.parametrize(
    ("words", "call", "kind"),
    [
        (["fit", "missing.csv"], lambda: netsig.read_data("missing.csv"), netsig.FileError),
        (["fit", "bad-time.csv"], lambda: netsig.read_data("bad-time.csv"), netsig.UsageError),
        (["fit", "no-time.csv"], lambda: netsig.read_data("no-time.csv"), netsig.UsageError),
        (["fit", "imb.txt"], lambda: netsig.read_data("imb.txt"), netsig.UsageError),
        (["fit", "void.csv"], lambda: netsig.read_data("void.csv"), netsig.DataError),
        (["fit", "data.csv", "data.csv"], lambda: netsig.read_data("data.csv", "data.csv"), netsig.UsageError),
        (["fit", "two-a-host.csv"], lambda: netsig.read_data("two-a-host.csv"), netsig.DataError),
        (["fit", "open-mpi.csv", "mpich.csv"], lambda: netsig.read_data("open-mpi.csv", "mpich.csv"), netsig.DataError),
        (["fit", "sizeless.csv"], lambda: netsig.fit(netsig.read_data("sizeless.csv")), netsig.NetsigError),
        (["compare", "pairs-only.csv"], lambda: netsig.compare(netsig.read_data("pairs-only.csv")), netsig.DataError),
    ],
)
def test_data(cli, home, tmp_path, words, call, kind):
    output = ["-o", tmp_path / "out.toml"] if words[0] == "fit" else []
    code, _, lines = cli(*words, *output, cwd=home)
    assert code in (2, 3)
    with warnings.catch_warnings(), pytest.raises(kind) as found:
        warnings.simplefilter("ignore", netsig.NetsigWarning)
        call()
    told = [line for line in lines if not line.startswith(("netsig: note", "netsig: warning"))]
    assert str(found.value) == refused(told)
    assert found.value.exit_code == code


@pytest.mark.parametrize(
    ("profile", "words", "options"),
    [
        ("newer.toml", ["--collective", "alltoall"], {}),
        ("older.toml", ["--collective", "alltoall"], {}),
        ("missing.toml", ["--collective", "alltoall"], {}),
        ("profile.toml", ["--collective", "altoall"], {}),
        ("profile.toml", ["--algorithm", "pairwize"], {"algorithm": "pairwize"}),
        ("profile.toml", ["--model", "signatur"], {"model": "signatur"}),
        ("profile.toml", ["--model", "hockney", "--quantile", "0.5"], {"model": "hockney", "quantile": 0.5}),
        ("profile.toml", ["--set", "delta=1"], {"settings": {"delta": 1}}),
        ("profile.toml", ["--network", "ethernt-12x40"], {"network": "ethernt-12x40"}),
        ("profile.toml", ["--network", "topology.conf"], {"network": "topology.conf"}),
    ],
)
def test_predictions(cli, home, profile, words, options):
    collective = "alltoall"
    if words[0] == "--collective":
        collective, words = words[1], []
    asked = ["--procs", "8", "--size", "1KiB", "--collective", collective]
    code, _, lines = cli("predict", profile, *asked, *words, cwd=home)
    assert code in (2, 3), lines
    with pytest.raises(netsig.NetsigError) as found:
        options = {"algorithm": None} | options
        netsig.Profile.read(profile).predict(collective, 8, "1KiB", **options)
    text = refused(lines)
    if collective == "altoall" or text.startswith("error"):
        assert str(found.value) in text  # The command line names the option, too.
    else:
        assert str(found.value) == text
    assert found.value.exit_code == code


def test_too_far(cli, profile, profile_file):
    words = ["--collective", "alltoall", "--algorithm", "library", "--procs", "8,500", "--size", "1KiB,1GiB"]
    code, _, lines = cli("predict", profile_file, *words, "--format", "csv")
    assert code == 3
    with pytest.raises(netsig.DataError) as found:
        profile.predict("alltoall", [8, 500], [[1024], [1 << 30]])
    told = [line for line in lines if not line.startswith(("netsig: note", "netsig: warning"))]
    lines = str(found.value).splitlines()
    assert len(lines) == len(told) == 2
    # The command line goes through the cases count by count.
    assert {line.rsplit(": ", 1)[1] for line in lines} == {in_python(line).rsplit(": ", 1)[1] for line in told}
    with pytest.raises(netsig.DataError) as found:
        profile.select("alltoall", 500, 1024)
    code, _, lines = cli("select", profile_file, "--collective", "alltoall", "--procs", "500", "--size", "1024")
    assert (code, str(found.value)) == (3, refused(lines))
    with pytest.warns(netsig.NetsigWarning, match="times are not reliable"):
        far = profile.predict("alltoall", [8, 500], 1024, extrapolate=True)
    assert far.standing.tolist() == ["interpolated", "outside"]


def test_other_ranks_on_a_host(cli, profile, profile_file):
    words = ["--collective", "alltoall", "--procs", "8", "--size", "1024", "--ppn", "3"]
    for command, ask in {"predict": profile.predict, "select": profile.select, "cross_overs": profile.cross_overs}.items():
        with pytest.raises(netsig.DataError) as found:
            ask("alltoall", 8, 1024, ppn=3)
        if command != "cross_overs":
            code, _, lines = cli(command, profile_file, *words)
            assert (code, str(found.value)) == (3, refused(lines))
    assert profile.predict("alltoall", 8, 1024, ppn=1).time_s > 0


PROCS = 'give process counts as integers or an array of them, or text such as "8..64"'
SIZES = 'give sizes as integers or an array of them, or text such as "64KiB"'


@pytest.mark.parametrize(
    ("procs", "size", "text"),
    [
        ([2.0, 4.0], 8, "procs is an array of float64, and process counts are whole; convert it with procs.astype(int)"),
        (4.0, 8, f"procs is 4.0; {PROCS}"),
        (True, 8, f"procs is True; {PROCS}"),
        (None, 8, f"procs is None; {PROCS}"),
        (8, {}, f"size is {{}}; {SIZES}"),
        (8, [None, 4], f"size is an array of object; {SIZES}"),
        (8, [True], f"size is an array of bool; {SIZES}"),
        (0, 8, "procs is 0; give process counts from 1 to 4294967295"),
        ([[4, 2], [-3, 2]], 8, "procs[1, 0] is -3; give process counts from 1 to 4294967295"),
        ([4, 1 << 32], 8, "procs[1] is 4294967296; give process counts from 1 to 4294967295"),
        (4, [1, -1], "size[1] is -1; give sizes from 0 to 9223372036854775807"),
        ([1, 2, 3], [1, 2], "procs has the shape (3,) and size (2,), which do not broadcast; give one of them a further axis, such as procs[:, None]"),
        (np.ones((2, 3), int), np.ones((4, 1, 2), int), "procs has the shape (2, 3) and size (4, 1, 2), which do not broadcast; give one of them a further axis, such as procs[:, None]"),
        (4, "4k", 'size: "4k" is not a size in whole bytes; write 4096, 4KiB or 4kB'),
        (4, ["4KiB", "5q"], 'size: "5q" is not a size in whole bytes; write 4096, 4KiB or 4kB'),
        ("64..8", 4, 'procs: "64..8" is not a range; write 8..64 to double from 8 to 64, or 8..64+8 for steps of 8'),
    ],
)
def test_arrays(profile, procs, size, text):
    with pytest.raises(netsig.UsageError) as found:
        profile.predict("alltoall", procs, size)
    assert str(found.value) == text
    assert isinstance(found.value, ValueError)
    with pytest.raises(netsig.UsageError):
        netsig.simulate(None, "alltoall", "pairwise", procs, size, settings={"L": 1e-5, "G": "1ns/B"})


def test_ragged_arrays(profile):
    with pytest.raises(netsig.UsageError, match=r"^size is no array \(.*\); give sizes as integers"):
        profile.predict("alltoall", 8, [[1, 2], [3]])


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"confidence": 2.0}, "confidence=2: write a level such as 0.95, from 0.000001 to 0.999999"),
        ({"threshold": "4k"}, 'threshold="4k": a threshold is a size from 0 on: "4k" is not a size in whole bytes; write 4096, 4KiB or 4kB, auto or none'),
        ({"statistic": "mode"}, 'statistic="mode": write one of: mean, median'),
        ({"covariance": "x"}, 'covariance="x": write auto, means, proportional, bandwidth-share, ols or ar1:RHO'),
    ],
)
def test_options(data, options, text):
    with pytest.raises(netsig.UsageError) as found:
        netsig.fit(data, **options)
    assert str(found.value) == text


def test_missing_files(tmp_path):
    with pytest.raises(FileNotFoundError) as found:
        netsig.Profile.read(tmp_path / "none.toml")
    assert isinstance(found.value, netsig.FileError)
    with pytest.raises(OSError, match="cannot be written"):
        netsig.Profile.parse((netsig_profile()).to_toml()).write(tmp_path / "none" / "own.toml")
    with pytest.raises(TypeError):
        netsig.read_data(3)
    with pytest.raises(netsig.UsageError, match="no file is named"):
        netsig.read_data()


def netsig_profile():
    from conftest import HOME

    return netsig.Profile.read(HOME / "profile.toml")


def test_no_table():
    with pytest.raises(netsig.UsageError, match="a table with __arrow_c_stream__ is needed; give a pandas"):
        netsig.Dataset.from_arrow([1, 2])
