"""Warnings are the notes of the command line, once, at the caller's line; messages are in Python's words."""

import re
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import netsig
from conftest import HOME, SOURCES
from netsig._netsig import _in_python as in_python

NOTE = re.compile(r"netsig: (?:note|warning): (.*)")


def told(call):
    """The texts of the warnings of a call, each from the line of the call in this file."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    line = call.__code__.co_firstlineno
    for warning in found:
        assert warning.category is netsig.NetsigWarning
        assert (Path(warning.filename).name, warning.lineno) == (Path(__file__).name, line)
    texts = [str(warning.message) for warning in found]
    assert len(set(texts)) == len(texts)
    return texts


def notes(lines):
    """The notes of the command line in Python's words."""
    return sorted(in_python(match[1]) for line in lines if (match := NOTE.fullmatch(line)))


@pytest.mark.parametrize(
    ("words", "call"),
    [
        (["fit", "two-a-host.csv", "--force"], lambda: netsig.fit(netsig.read_data("two-a-host.csv", force=True))),
        (["fit", "apart.csv"], lambda: netsig.fit(netsig.read_data("apart.csv"))),
        (["fit", "data.csv"], lambda: netsig.fit(netsig.read_data("data.csv"))),
        (["fit", "data.csv", "--model", "signature"], lambda: netsig.fit(netsig.read_data("data.csv"), model="signature")),
        (["fit", "pairs.csv"], lambda: netsig.fit(netsig.read_data("pairs.csv"))),
        (["fit", "links.csv"], lambda: netsig.fit(netsig.read_data("links.csv"))),
        (["fit", "launches.csv"], lambda: netsig.fit(netsig.read_data("launches.csv"))),
        (["fit", "one-cell.csv"], lambda: netsig.fit(netsig.read_data("one-cell.csv"))),
    ],
)
def test_fits(cli, home, tmp_path, words, call):
    more = ["-o", tmp_path / "out.toml", "--all"]
    code, _, lines = cli(*words, *more, cwd=home)
    if code == 0:
        assert sorted(told(call)) == notes(lines)
    else:
        with pytest.raises(netsig.NetsigError):
            told(call)


def test_compare(cli):
    path = SOURCES / "examples/alltoall.csv"
    code, _, lines = cli("compare", path)
    assert code == 0
    data = netsig.read_data(path)
    found = told(lambda: netsig.compare(data))
    assert sorted(found) == notes(lines)
    assert found


def test_predictions(cli, profile, profile_file):
    words = ["--collective", "alltoall", "--procs", "8,64", "--size", "1KiB..1MiB"]
    for options, keywords in [
        (["--algorithm", "library"], {}),
        (["--algorithm", "library", "--extrapolate"], {"extrapolate": True}),
        (["--algorithm", "bruck:2", "--extrapolate"], {"algorithm": "bruck:2", "extrapolate": True}),
        (["--extrapolate"], {"algorithm": None, "extrapolate": True}),
    ]:
        code, _, lines = cli("predict", profile_file, *words, *options)
        ask = lambda: profile.predict("alltoall", [[8], [64]], SIZES, **keywords)  # noqa: E731, B023
        if code == 0:
            assert sorted(told(ask)) == notes(lines)
        else:
            with pytest.raises(netsig.DataError):
                ask()
    code, _, lines = cli("select", profile_file, *words, "--extrapolate")
    found = told(lambda: profile.select("alltoall", [[8], [64]], SIZES, extrapolate=True))
    assert (code, sorted(found)) == (0, notes(lines))
    code, _, lines = cli("select", profile_file, *words, "--extrapolate", "--show", "cross-overs")
    found = told(lambda: profile.cross_overs("alltoall", "8,64", "1KiB..1MiB", extrapolate=True))
    assert (code, sorted(found)) == (0, notes(lines))


SIZES = [1 << power for power in range(10, 21)]


def test_simulations(cli, home):
    words = ["--collective", "alltoall", "--algorithm", "pairwise", "--procs", "12", "--size", "256KiB"]
    code, _, lines = cli("simulate", "--network", "tree-2x6x40", "--model", "tcp", *words)
    found = told(lambda: netsig.simulate("tree-2x6x40", "alltoall", "pairwise", 12, "256KiB", model="tcp"))
    assert code == 0
    assert any("messages lost packets" in text for text in found)
    own = "; --losses FILE lists those of one row"
    assert sorted(found) == notes([line.removesuffix(own) for line in lines])
    # The ports of the profile are others than those of the network.
    toy = netsig.Profile.read("toy.toml")
    words = ["--collective", "alltoall", "--algorithm", "pairwise", "--procs", "4", "--size", "64KiB"]
    network = ["--network", "ethernet-12x40", "--profile", "toy.toml", "--model", "loggp"]
    code, _, lines = cli("simulate", *network, *words, cwd=home)
    with pytest.raises(netsig.DataError) as refused:
        netsig.simulate("ethernet-12x40", "alltoall", "pairwise", 4, "64KiB", profile=toy, model="loggp")
    assert (code, [f"netsig: {refused.value}"]) == (3, [in_python(line) for line in lines])
    assert str(refused.value).endswith("; name the network that was measured, or give extrapolate=True")
    code, _, lines = cli("simulate", *network, *words, "--extrapolate", cwd=home)
    found = told(lambda: netsig.simulate("ethernet-12x40", "alltoall", "pairwise", 4, "64KiB", profile=toy, model="loggp", extrapolate=True))
    assert (code, sorted(found)) == (0, notes(lines))
    assert found


def test_imports(cli, home, tmp_path):
    code, _, lines = cli("import", "osu", "osu.txt", "--procs", "4", "-o", tmp_path / "osu.csv", cwd=home)
    assert code == 0
    assert sorted(told(lambda: netsig.import_data("osu", "osu.txt", procs=4))) == notes(lines)


def test_warnings_of_a_thread(profile):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        with ThreadPoolExecutor(1) as pool:
            ask = lambda: profile.predict("alltoall", 64, 1024, extrapolate=True)  # noqa: E731
            pool.submit(ask).result()
    assert {Path(warning.filename).name for warning in found} == {Path(__file__).name}


def test_a_call_from_a_file_of_netsig(profile):
    # As a function of the package would: the warning is at the line that calls that function.
    names = {"__name__": "netsig.anything"}
    exec(compile("def ask(profile):\n    return profile.predict('alltoall', 64, 1024, extrapolate=True)", "inside.py", "exec"), names)
    assert told(lambda: names["ask"](profile))


def test_warnings_as_errors(profile):
    with warnings.catch_warnings(), pytest.raises(netsig.NetsigWarning):
        warnings.simplefilter("error")
        profile.predict("alltoall", 64, 1024, extrapolate=True)


@pytest.mark.parametrize(
    ("line", "python"),
    [
        ("measure there, or give --extrapolate to predict all the same", "measure there, or give extrapolate=True to predict all the same"),
        ("name more hosts, or give fewer --procs", "name more hosts, or give fewer procs="),
        ("--procs 4,8 gives 2 counts", "procs=[4, 8] gives 2 counts"),
        ("each in their order (--procs 4,8,16 for 3 launches)", "each in their order (procs=[4, 8, 16] for 3 launches)"),
        ("the file's name says 3; give --procs N", "the file's name says 3; give procs=N"),
        ("not 4; leave --procs out", "not 4; leave procs= out"),
        ("give --rate 1Gbit/s", 'give rate="1Gbit/s"'),
        ("give --threshold BYTES or none", "give threshold=BYTES or none"),
        ("write --covariance ar1:0.5", 'write covariance="ar1:0.5"'),
        ("use --covariance proportional", 'use covariance="proportional"'),
        ("give --set NAME=VALUE for each", 'give settings={"NAME": VALUE} for each'),
        ("give it with --set, or a --profile or a --network", "give it with settings=, or a profile= or a network="),
        ("give --model regimes or leave out --quantile", 'give model="regimes" or leave out quantile='),
        ("--seed is for tcp; leave it out or give --model tcp", 'seed= is for tcp; leave it out or give model="tcp"'),
        ("measure with --ppn 2 and fit again, or leave out --ppn", "measure with ppn=2 and fit again, or leave out ppn="),
        ("the links of the network (--network)", "the links of the network (network=)"),
        ("no --network: all ranks are on one switch", "no network=: all ranks are on one switch"),
        ("--nodes n[0-: is not closed", 'nodes="n[0-": is not closed'),
        ("turn it into data with `netsig import osu`", 'turn it into data with `netsig.import_data("osu", …)`'),
        ("one\ntwo --force", "one\ntwo force=True"),
        ("go on with --resume, choose another --output", "go on with resume=True, choose another output="),
        ("give a plan, or --on lab:SCENARIO", 'give a plan, or on="lab:SCENARIO"'),
        ("--max-procs: 2 is too few processes", "max_procs: 2 is too few processes"),
        ("invalid value 'never' for '--budget <TIME>': write", 'budget="never": write'),
        ("invalid value '0' for '--max-procs <N>': write 2; Usage: netsig x", "max_procs=0: write 2"),
        ("unexpected argument '--foo-bar' found; tip: like '--for'; Usage: netsig learn [PLAN]", "learn has no keyword foo_bar; leave it out"),
        ("ask salloc or sbatch for more --nodes, or give --ppn 2", "ask salloc or sbatch for more nodes, or give ppn=2"),
        ("a chart of at most 64; use --timeline", "a chart of at most 64; use timeline()"),
        ("run--force.csv: x; give --unknown", "run--force.csv: x; give --unknown"),
    ],
)
def test_words(line, python):
    assert in_python(line) == python


# Options of commands that Python has not: the text is for the command line alone.
CLI_ALONE = {"--all", "--for", "--mca", "--losses", "--wide"} | {"--plot-height"}  # The last is of CSS.
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


def test_every_option_in_a_message_has_a_keyword():
    found = set()
    folders = [SOURCES / f"crates/{crate}/src" for crate in ("base", "model", "sim", "render")]
    # Of the crate of measurements, Python calls the parts that plan.
    plans = [SOURCES / f"crates/measure/src/{name}.rs" for name in ("prediction_scope", "proposal")]
    for folder in [*folders, *plans]:
        for path in [folder] if folder.is_file() else folder.rglob("*.rs"):
            if "import/launch" in str(path):  # The options of mpirun and srun.
                continue
            text = path.read_text().split("#[cfg(test)]")[0]
            lines = [line for line in text.splitlines() if not line.lstrip().startswith("//")]
            for literal in LITERAL.findall("\n".join(lines)):
                found |= set(OPTION.findall(literal))
                left = set(OPTION.findall(in_python(literal)))
                assert left <= CLI_ALONE, (path, literal)
    assert {"--extrapolate", "--procs", "--set"} <= found


def refusals(profile):
    """Calls that netsig refuses."""
    data = netsig.Dataset.from_arrow(pd.read_csv(SOURCES / "examples/alltoall.csv", comment="#"))
    free = {"settings": {"L": 1e-5, "G": "1ns/B"}}
    read = netsig.Profile.read
    return [
        lambda: profile.predict("alltoall", 512, 1024),
        lambda: profile.select("alltoall", 512, 1024),
        lambda: profile.predict("alltoall", 8, 1024, ppn=3),
        lambda: profile.predict("alltoall", 8, 1024, model="hockney", quantile=0.5),
        lambda: profile.predict("alltoall", 8, 1024, model="chain"),
        lambda: profile.predict("alltoall", 8, 1024, settings={"delta": 1}),
        lambda: profile.predict("alltoall", 8, 1024, segment="1KiB"),
        lambda: profile.predict("alltoall", 8, 1024, algorithm="two-phase:3"),
        lambda: profile.predict("alltoall", 8, 1024, network="tree-2x6x40", model="tree_bound"),
        lambda: profile.predict("alltoall", 8, 1024, model="tree_bound"),
        lambda: profile.predict("alltoall", 8, 1024, network="wan-6-6-30x5"),
        lambda: read("hockney.toml").predict("alltoall", 8, 1024, model="signature"),
        lambda: netsig.fit(data, covariance="ar1:2"),
        lambda: netsig.fit(data, threshold="1GiB", model="signature"),
        lambda: netsig.fit(data, network="ethernet-4x50"),
        lambda: netsig.compare(data, train="procs<=1"),
        lambda: netsig.compare(data, train="procs<=10000"),
        lambda: netsig.Network("topology.conf"),
        lambda: netsig.Network("ethernet-12x40", rate="1Gbit/s"),
        lambda: netsig.Network("net.toml", uplink_rate="1Gbit/s"),
        lambda: netsig.read_data("two-a-host.csv"),
        lambda: netsig.read_data("imb.txt"),
        lambda: netsig.read_data("profile.toml"),
        lambda: read("data.csv"),
        lambda: netsig.import_data("osu", "osu.txt"),
        lambda: netsig.import_data("osu", "p8.txt", procs=4),
        lambda: netsig.import_data("osu", "osu.txt", procs=[4, 8, 16]),
        lambda: netsig.import_data(None, "osu.txt", procs=4, collective="bcast"),
        lambda: netsig.import_data(None, "data.csv"),
        lambda: netsig.simulate(None, "alltoall", "pairwise", 8, 1, **free, seed=1),
        lambda: netsig.simulate(None, "alltoall", "pairwise", 8, 1, **free, rto_mode="all"),
        lambda: netsig.simulate(None, "alltoall", "pairwise", 8, 1, model="fluid"),
        lambda: netsig.simulate(None, "alltoall", "pairwise", 8, 1),
        lambda: netsig.simulate("ethernet-12x40", "alltoall", "pairwise", 8, 1, method="closed-form"),
        lambda: netsig.simulate("ethernet-12x40", "alltoall", "pairwise", 8, 1, nodes="n[0-"),
        lambda: netsig.simulate("ethernet-12x40", "alltoall", "pairwise", 80, 1),
        lambda: netsig.simulate("ethernet-12x40", "alltoall", "pairwise", 12, "1TiB", model="tcp"),
        lambda: netsig.simulate("circle.toml", "alltoall", "pairwise", 2, 1, model="plogpt"),
    ]


def test_refusals_name_no_option(profile, home):
    texts = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for place, call in enumerate(refusals(profile)):
            try:
                call()
            except netsig.NetsigError as refused:
                texts.append(str(refused))
                assert not OPTION.search(texts[-1]), texts[-1]
                assert "`netsig fit" not in texts[-1]
                assert "\n" not in texts[-1], place
    # Most of the calls are refused; the texts name keywords.
    assert len(texts) > 30
    for keyword in ("extrapolate=True", "rate=", "procs=", "settings=", "leave out", "model="):
        assert any(keyword in text for text in texts), keyword


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: netsig.fit("data.csv"), 'a str is given where a Dataset is needed; give netsig.read_data("data.csv")'),
        (lambda: netsig.fit(Path("data.csv")), 'a PosixPath is given where a Dataset is needed; give netsig.read_data("data.csv")'),
        (lambda: netsig.compare("x.csv"), 'a str is given where a Dataset is needed; give netsig.read_data("x.csv")'),
        (lambda: PROFILE().verdict("data.csv"), 'a str is given where a Dataset is needed; give netsig.read_data("data.csv")'),
        (lambda: netsig.fit(PROFILE()), "a Profile is given where a Dataset is needed; give the answer of netsig.read_data or netsig.import_data"),
        (lambda: netsig.fit(pd.DataFrame()), "a DataFrame is given where a Dataset is needed; give netsig.Dataset.from_pandas(frame)"),
        (lambda: netsig.fit(pl.DataFrame()), "a DataFrame is given where a Dataset is needed; give netsig.Dataset.from_polars(frame)"),
        (lambda: netsig.fit(pl.LazyFrame()), "a LazyFrame is given where a Dataset is needed; give netsig.Dataset.from_polars(frame.collect())"),
        (lambda: netsig.fit(pa.table({})), "a Table is given where a Dataset is needed; give netsig.Dataset.from_arrow(table)"),
        (lambda: netsig.fit(None), "a NoneType is given where a Dataset is needed; give the answer of netsig.read_data or netsig.import_data"),
        (lambda: netsig.simulate(None, "bcast", "binomial", 8, 1, profile="p.toml"), 'a str is given where a Profile is needed; give netsig.Profile.read("p.toml")'),
        (lambda: netsig.fit(DATA(), plogp="p.toml"), 'a str is given where a Profile is needed; give netsig.Profile.read("p.toml")'),
        (lambda: netsig.fit(DATA(), plogp=DATA()), "a Dataset is given where a Profile is needed; give netsig.fit(data)"),
        (lambda: netsig.fit(DATA(), network=12), 'an int is given where a Network is needed; give its name, such as "ethernet-12x40", its file, or netsig.Network(…)'),
        (lambda: netsig.read_data(["a.csv", "b.csv"]), "a list is given where a path is needed; give its paths one by one: netsig.read_data(*paths)"),
        (lambda: netsig.read_data(pd.DataFrame()), "a DataFrame is given where a path is needed; give netsig.Dataset.from_pandas(frame)"),
        (lambda: netsig.read_data(DATA()), "a Dataset is given where a path is needed; it is the data already; use it as it is"),
        (lambda: netsig.read_data(3), "an int is given where a path is needed; give a str or an os.PathLike"),
        (lambda: netsig.simulate(None, "bcast", "binomial", 8, 1, settings=[1]), 'a list is given where a dict of parameters is needed; give such as {"delta": "1ms"}'),
        (lambda: netsig.simulate(None, "bcast", "binomial", 8, 1, settings={1: 2}), "an int is given where the name of a parameter is needed; give a str"),
        (lambda: netsig.evaluate("loggp", settings={"L": None}), 'a NoneType is given where a number or a text is needed; give such as 0.001 or "1ms"'),
        (lambda: netsig.plan("alltoall up to 8", None), 'a NoneType is given where a number or a text is needed; give such as 0.001 or "1ms"'),
        (lambda: netsig.fit(DATA(), threshold=1.5), 'a float is given where a size is needed; give bytes from 0, or text such as "64KiB"'),
        (lambda: netsig.report(DATA(), procs=1.5), 'a float is given where a list of process counts is needed; give such as [8, 16] or "8..64"'),
        (lambda: PROFILE().with_clusters(1.5), "a float is given where a Clusters is needed; give numbers of processes, such as [4, 8], or netsig.Clusters.read(path)"),
        (lambda: netsig.Clusters("4,8"), "a str is given where a list of numbers of processes is needed; give such as [4, 8], or netsig.Clusters.read(path)"),
        (lambda: netsig.discover(3), 'an int is given where a Network is needed; give its name, such as "ethernet-12x40", its file, or netsig.Network(…)'),
        (lambda: PROFILE().penalties("data.csv"), 'a str is given where a Dataset is needed; give netsig.read_data("data.csv")'),
        (lambda: PROFILE().plot("alltoall", data=pd.DataFrame()), "a DataFrame is given where a Dataset is needed; give netsig.Dataset.from_pandas(frame)"),
        (lambda: netsig.report("p.toml"), 'a str is given where a Dataset or a Profile is needed; give netsig.read_data("p.toml") or netsig.Profile.read("p.toml")'),
        (lambda: netsig.report(pd.DataFrame()), "a DataFrame is given where a Dataset or a Profile is needed; give netsig.Dataset.from_pandas(frame)"),
        (lambda: netsig.report(DATA(), repetitions=-1), "an int is given where a number as repetitions is needed; give a whole number from 0"),
        (lambda: netsig.Dataset.from_arrow("x.csv"), 'a str is given where a table with __arrow_c_stream__ is needed; give netsig.read_data("x.csv")'),
        (lambda: netsig.Dataset.from_arrow(DATA(), provenance="x"), 'a str is given where a dict as provenance is needed; give such as {"mpi": "Open MPI 4.1.4"}'),
        (lambda: netsig.Dataset.from_arrow(DATA(), provenance={1: 2}), "an int is given where the name of a fact in provenance is needed; give a str"),
        (lambda: netsig.Dataset.from_arrow(DATA(), name=3), 'an int is given where a str as name is needed; give such as "mine"'),
        (lambda: netsig.Dataset.from_arrays(name=3), 'an int is given where a str as name is needed; give such as "mine"'),
        (lambda: netsig.Dataset.from_pandas("x.csv"), 'a str is given where a data frame of pandas is needed; give netsig.read_data("x.csv") for data of netsig, or read the file with pandas first'),
        (lambda: netsig.Dataset.from_polars(pl.LazyFrame()), "a LazyFrame is given where a data frame of Polars is needed; give frame.collect()"),
        (lambda: netsig.Dataset.from_polars(3), "an int is given where a data frame of Polars is needed; give one, or columns to netsig.Dataset.from_arrays"),
        (lambda: PROFILE().predict(3, 8, 1), 'an int is given where a str as collective is needed; give such as "alltoall"'),
        (lambda: PROFILE().select("alltoall", 8, 1, ppn=-1), "an int is given where a number of processes a host as ppn is needed; give a whole number from 1"),
        (lambda: netsig.simulate(None, "bcast", 3, 8, 1), 'an int is given where a str as algorithm is needed; give such as "pairwise"'),
        (lambda: netsig.simulate(None, "bcast", "binomial", 8, 1, seed=-1), "an int is given where a number as seed is needed; give a whole number from 0"),
        (lambda: PROFILE().choices()[0], 'an int is given where the name of a column is needed; give a str, such as "time_s", or take rows of to_pandas()'),
        (lambda: DATA().plot("alltoall", algorithm="library", ax=3), "an object of int is given where an axis of matplotlib is needed as ax; give such as plt.gca()"),
        (lambda: netsig.measure(DATA(), output="x.csv"), "an object of Dataset is given where a str or a path is needed as plan; give one"),
        (lambda: netsig.learn("alltoall up to 8", output=3), "an object of int is given where a str or a path is needed as output; give one"),
        (lambda: netsig.Profile.read(PROFILE()), "a Profile is given where a path is needed; give a str or an os.PathLike"),
    ],
)
def test_hints(call, text):
    with pytest.raises(netsig.ArgumentTypeError) as found:
        call()
    assert str(found.value) == text
    assert isinstance(found.value, TypeError)
    assert isinstance(found.value, netsig.NetsigError)


def test_files_of_another_kind(home):
    with pytest.raises(netsig.UsageError) as found:
        netsig.read_data("profile.toml")
    assert str(found.value) == 'profile.toml: is a profile and not data; give netsig.Profile.read("profile.toml")'
    with pytest.raises(netsig.UsageError) as found:
        netsig.Profile.read("data.csv")
    assert str(found.value) == 'data.csv: is data and not a profile; give netsig.fit(netsig.read_data("data.csv"))'


def DATA():
    return netsig.read_data(HOME / "data.csv")


def PROFILE():
    return netsig.Profile.read(HOME / "profile.toml")


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (lambda frame: frame.drop(columns="procs"), r"^table:1: .*procs.*; "),
        (lambda frame: frame.drop(columns=["procs", "time_s"]), r"^table:1: .*; "),
        (lambda frame: frame[[]], r"^table: is empty; "),
        (lambda frame: frame.assign(procs="many"), r'^table:2: procs: "many" .*; '),
        (lambda frame: frame.assign(procs=0), r'^table:2: procs: "0" .*; '),
        (lambda frame: frame.assign(time_s=pd.Timestamp("2026-01-01")), r"^table: .*time_s.*; "),
        (lambda frame: frame.assign(time_s=[[1.0]] * len(frame)), r"^table: .*time_s.*; "),
    ],
)
def test_bad_frames(frame, text):
    good = DATA().to_pandas()
    with pytest.raises(netsig.UsageError, match=text) as found:
        netsig.Dataset.from_arrow(frame(good))
    assert "\n" not in str(found.value)
