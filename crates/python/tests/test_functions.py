"""What the command line does without MPI, in Python: with the same answers."""

import csv
import io
import types
import warnings

import numpy as np
import pytest

import netsig
from conftest import SOURCES
from test_answers import same

SCENARIO = "ethernet-12x40"
TREE = "tree-2x6x40"
WIDE = "wan-6-6-30x5"

MATRIX = np.array([[0, 100, 0], [7, 0, 250], [30, 3, 0]])


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", netsig.NetsigWarning)
        yield


@pytest.fixture
def exchange_file(tmp_path):
    path = tmp_path / "exchange.csv"
    np.savetxt(path, MATRIX, fmt="%d", delimiter=",")
    return path


# Bounds


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, []),
        ({"synchronous": True, "count_zero_messages": True}, ["--synchronous", "--count-zero-messages"]),
        (
            {"gamma": 1.8, "delta": "2ms", "threshold": "1KiB"},
            ["--gamma", "1.8", "--delta", "2ms", "--threshold", "1KiB"],
        ),
    ],
)
def test_bounds(cli, exchange_file, options, words):
    code, out, _ = cli("bounds", exchange_file, "--alpha", "50us", "--beta", "10ns", "--format", "csv", *words)
    assert code == 0
    for exchange in (MATRIX, MATRIX.tolist(), exchange_file, str(exchange_file)):
        same(netsig.bounds(exchange, "50us", 1e-8, **options), out)


def test_bounds_of_what_is_no_matrix():
    with pytest.raises(netsig.UsageError, match=r"^exchange has the shape \(2, 3\); give a square matrix"):
        netsig.bounds(np.zeros((2, 3), dtype=int), 1e-4, 1e-8)
    with pytest.raises(netsig.UsageError, match=r"^exchange\[1, 0\] is -1"):
        netsig.bounds([[0, 1], [-1, 0]], 1e-4, 1e-8)
    with pytest.raises(netsig.UsageError, match=r"^alpha=soon: "):
        netsig.bounds(MATRIX, "soon", 1e-8)


# Plans


def test_plans(cli, profile, profile_file, tmp_path):
    exchange, sum_of_all = "alltoall library,pairwise up to 64", "allreduce library,ring up to 64"
    for prediction, words, options in [
        (exchange, [], {}),
        (
            exchange,
            [profile_file, "--hosts", "8", "--size", "1KiB..64KiB"],
            {"profile": profile, "hosts": 8, "size": "1KiB..64KiB"},
        ),
        (exchange, ["--max-procs", "12"], {"max_procs": 12}),
        (sum_of_all, ["--reduction", "max:int"], {"reduction": "max:int"}),
    ]:
        code, out, _ = cli("plan", *words, "--budget", "10m", "--prediction", prediction)
        assert code == 0
        path = tmp_path / "plan.toml"
        assert netsig.plan(prediction, "10m", path=path, **options) == out == path.read_text()
        assert netsig.plan(prediction, 600.0, **options) == out


@pytest.mark.parametrize(
    ("prediction", "budget", "message"),
    [
        ("alltoall to 64", "10m", r'^prediction="alltoall to 64": write .COLLECTIVE'),
        ("alltoall up to 64", "100ms", r"^budget=0.1: write a duration from 1 s"),
        ("alltoall up to 64", 2.0, r"^the smallest useful plan takes .*, and the budget is 2 s; raise"),
    ],
)
def test_plans_that_are_refused(prediction, budget, message):
    with pytest.raises(netsig.UsageError, match=message):
        netsig.plan(prediction, budget)


def test_plans_of_operations_that_do_not_exist():
    with pytest.raises(netsig.UsageError, match=r'^reduction="bxor:double": '):
        netsig.plan("allreduce up to 64", "10m", reduction="bxor:double")


# Tuning files


@pytest.mark.parametrize("target", ["openmpi-4.1", "openmpi-5.0"])
@pytest.mark.parametrize("options", [{}, {"procs": "4..12", "size": "1KiB..64KiB"}])
def test_rules(cli, profile, profile_file, tmp_path, target, options):
    path = tmp_path / "my rules"
    words = [word for key, value in options.items() for word in (f"--{key}", value)]
    code, _, messages = cli("tune", profile_file, "--for", target, "-o", path, *words)
    assert code == 0
    expected = path.read_text()
    path.unlink()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        text = netsig.Profile.read(profile_file).tune(target, path=path, **options)
    assert text == expected == path.read_text()
    notes = [line.removeprefix("netsig: ").split(": ", 1)[1] for line in messages]
    assert [str(warning.message) for warning in caught] == notes
    assert "/ABSOLUTE/PATH" in profile.tune(target)


def test_nothing_to_choose(cli, profile, profile_file):
    code, _, messages = cli("tune", profile_file, "--for", "intelmpi", "-o", "-")
    assert code == 3
    with pytest.raises(netsig.DataError) as refusal:
        profile.tune("intelmpi")
    assert messages == [f"netsig: {refusal.value}"]


@pytest.mark.parametrize(
    ("target", "words", "options"),
    [
        ("simgrid", ["--network", SCENARIO, "--extrapolate"], {"network": SCENARIO, "extrapolate": True}),
        ("simgrid", ["--procs", "16"], {"procs": 16}),
        ("loggopsim", [], {}),
    ],
)
def test_parameters_of_simulators(cli, profile, profile_file, target, words, options):
    code, out, _ = cli("tune", profile_file, "--for", target, "-o", "-", *words)
    assert code == 0
    assert profile.tune(target, **options) == out


@pytest.mark.parametrize(
    ("target", "options", "message"),
    [
        ("openmpy", {}, "^tune does not know openmpy"),
        ("openmpi", {}, '^target="openmpi": the version is missing'),
        ("openmpi-4.1", {"library": "x"}, "^library is for MPICH"),
        ("simgrid", {}, "^a platform has hosts"),
        ("simgrid", {"size": 8}, "^size, library and commutative are for MPI libraries"),
    ],
)
def test_tuning_that_is_refused(profile, target, options, message):
    with pytest.raises(netsig.UsageError, match=message):
        profile.tune(target, **options)


def test_tuning_looks_for_choices_before_it_asks_for_a_library(data, profile):
    with pytest.raises(netsig.DataError, match="no collective has two measured choices"):
        profile.tune("mpich-4")
    of_mpich = netsig.Dataset.from_arrow(data, provenance={**data.provenance, "mpi": "MPICH Version: 4.0.2"})
    with pytest.raises(netsig.UsageError, match="^library is missing"):
        netsig.fit(of_mpich).tune("mpich-4")


# Clusters and exchanges


def test_clusters_of_a_description(cli, tmp_path):
    path = tmp_path / "clusters.toml"
    for named in (WIDE, TREE):
        code, out, _ = cli("discover", "--network", named, "-o", path, "--format", "csv")
        assert code == 0
        found = netsig.discover(named)
        same(found.table(), out)
        same(netsig.Clusters.read(path).table(), out)
        assert netsig.Clusters.parse(found.to_toml()).hosts == found.hosts
        assert sorted(host for hosts in found.hosts.values() for host in hosts) == sorted(f"h{host}" for host in range(12))
        path.unlink()


LINKED = (
    "[[cluster]]\nname = 'a'\nhosts = 'a[0-5]'\n[[cluster]]\nname = 'b'\nhosts = 'b[0-5]'\n"
    "[[cluster_link]]\nbetween = ['a', 'b']\nbytes = [1, 1001]\ntime_s = [0.005, 0.006]\n"
)


def test_links_between_clusters(tmp_path):
    found = netsig.Clusters.parse(LINKED)
    assert len(found) == 2
    assert found.table().to_dicts()[-1] == {
        "cluster": "a",
        "to": "b",
        "hosts": None,
        "latency_s": 0.005,
        "bandwidth_mbit_per_s": pytest.approx(8.0),
    }
    path = tmp_path / "clusters.toml"
    found.write(path)
    assert netsig.Clusters.read(path).to_toml() == found.to_toml()


def test_predictions_with_clusters(cli, profile, profile_file, tmp_path):
    path = tmp_path / "clusters.toml"
    path.write_text(LINKED)
    linked = netsig.Clusters.read(path)
    words = [
        "predict", profile_file, "--collective", "alltoall", "--algorithm", "two-phase:3", "--procs", "12",
        "--size", "1KiB,4KiB", "--extrapolate", "--format", "csv",
    ]  # fmt: skip
    options = {"algorithm": "two-phase:3", "extrapolate": True}
    code, out, errors = cli(*words, "--clusters", path)
    assert code == 0, errors
    for clusters in (linked, path, str(path)):
        same(profile.predict("alltoall", 12, ["1KiB", "4KiB"], clusters=clusters, **options).table(), out)
    chosen = profile.select("alltoall", 12, "1KiB", clusters=[5, 7], extrapolate=True)
    code, out, _ = cli(
        "select", profile_file, "--collective", "alltoall", "--procs", "12", "--size", "1KiB", "--extrapolate",
        "--clusters", "5,7", "--format", "csv",
    )  # fmt: skip
    assert code == 0
    same(chosen.table(), out)
    with pytest.raises(netsig.UsageError, match="^clusters: the clusters have 7 hosts for 12 processes"):
        profile.predict("alltoall", 12, 1024, clusters=[3, 4])
    with pytest.raises(netsig.UsageError, match=r'^clusters="4,x": neither a file nor numbers'):
        profile.predict("alltoall", 12, 1024, clusters="4,x")
    assert list(netsig.Clusters([5, 7])) == ["cluster 0", "cluster 1"]
    for sizes, message in (
        ([2, -3], r"^clusters\[1\] is -3; give whole numbers from 1$"),
        ([2.5], r"^clusters\[0\] is 2.5; give whole numbers from 1$"),
        ([], "^clusters is empty; give numbers of processes"),
    ):
        for call in (netsig.Clusters, profile.with_clusters):
            with pytest.raises(netsig.UsageError, match=message):
                call(sizes)
    bound = profile.with_clusters(netsig.Clusters([5, 7]))
    assert "cluster 1" in bound.to_toml() and "cluster 1" not in profile.to_toml()


def test_exchanges(cli, profile, profile_file, tmp_path):
    sizes = np.random.default_rng(1).integers(0, 65536, (8, 8))
    path = tmp_path / "exchange.csv"
    np.savetxt(path, sizes, fmt="%d", delimiter=",")
    words = ["--collective", "alltoallv", "--exchange", path, "--extrapolate", "--format", "csv"]
    code, out, errors = cli("predict", profile_file, *words)
    assert code == 0, errors
    for exchange in (sizes, path):
        found = profile.predict("alltoallv", algorithm=None, exchange=exchange, extrapolate=True)
        together = [row for predictions in found.values() for row in predictions.table().to_dicts()]
        expected = list(csv.DictReader(io.StringIO(out)))
        assert [row["algorithm"] for row in together] == [row["algorithm"] for row in expected]
        assert [row["time_s"] for row in together] == [float(row["time_s"]) for row in expected]
    code, out, _ = cli("select", profile_file, *words)
    assert code == 0
    same(profile.select("alltoallv", exchange=sizes, extrapolate=True).table(), out)
    for arguments, message in [
        (("alltoall", None, None), "^exchange has the sizes of an alltoallv; give the collective alltoallv, not alltoall"),
        (("alltoallv", 8, 1), "^exchange states process count and sizes"),
    ]:
        with pytest.raises(netsig.UsageError, match=message):
            profile.predict(*arguments, exchange=sizes)
    with pytest.raises(netsig.UsageError, match="^size is None; give sizes as integers"):
        profile.predict("alltoall", 8)


def test_every_model(cli, profile, profile_file):
    code, out, _ = cli(
        "predict", profile_file, "--collective", "alltoall", "--algorithm", "library", "--procs", "8", "--size",
        "4KiB", "--model", "all", "--format", "csv",
    )  # fmt: skip
    assert code == 0
    found = profile.predict("alltoall", 8, "4KiB", all_models=True)
    expected = [(row["algorithm"], row["model"], float(row["time_s"])) for row in csv.DictReader(io.StringIO(out))]
    assert [(*key, one.time_s) for key, one in found.items()] == expected
    assert len(expected) > 3
    with pytest.raises(netsig.UsageError, match='^model="hockney": all_models asks for all'):
        profile.predict("alltoall", 8, 1, model="hockney", all_models=True)


# Simulations


def test_a_single_simulation(cli, tmp_path):
    links, losses, goal = tmp_path / "links.csv", tmp_path / "losses.csv", tmp_path / "program.goal"
    code, out, _ = cli(
        "simulate", "--network", TREE, "--collective", "alltoall", "--algorithm", "direct", "--procs", "12", "--size",
        "64KiB", "--model", "tcp", "--set", "L=60us", "--method", "event", "--links", links, "--losses", losses,
        "--write-goal", goal, "--format", "csv",
    )  # fmt: skip
    assert code == 0
    found = netsig.simulate_events(TREE, "alltoall", "direct", 12, "64KiB", model="tcp", settings={"L": "60us"})
    same(found.table(), out)
    same(found.links(), links.read_text())
    same(found.losses(), losses.read_text())
    assert found.to_goal() == goal.read_text()
    assert found.time_s > 0 and found.messages == 132 and found.procs == 12
    again = netsig.simulate(TREE, "alltoall", "direct", 12, "64KiB", model="tcp", settings={"L": "60us"}, method="event")
    assert again.time_s == found.time_s


def test_pictures_of_simulations(cli, tmp_path):
    gantt, timeline = tmp_path / "chart.svg", tmp_path / "events.json"
    words = ["--network", TREE, "--collective", "alltoall", "--algorithm", "direct", "--procs", "12", "--size", "64KiB"]
    code, *_ = cli("simulate", *words, "--model", "tcp", "--set", "L=60us", "--gantt", gantt, "--timeline", timeline)
    assert code == 0
    found = netsig.simulate_events(TREE, "alltoall", "direct", 12, "64KiB", model="tcp", settings={"L": "60us"})
    assert found.gantt() == found._repr_svg_() == gantt.read_text()
    assert found._repr_html_() is None
    assert found.timeline() == timeline.read_text()
    written = tmp_path / "written.svg"
    program = netsig.simulate_goal(found.to_goal(), TREE, model="tcp", settings={"L": "60us"})
    assert program.gantt(written) == written.read_text()
    assert "program, 12 ranks, tcp on tree-2x6x40" in written.read_text()


def test_more_ranks_than_a_chart_shows():
    found = netsig.simulate_events(None, "bcast", "binomial", 65, 1024, settings={"L": "60us", "G": 1e-9})
    assert found._repr_svg_() is None
    assert "1 KiB" in found._repr_html_()
    with pytest.raises(netsig.UsageError, match=r"^65 ranks do not fit a Gantt chart of at most 64; use timeline\(\)$"):
        found.gantt()
    assert found.timeline().count('"name":"send to') == 64


def test_programs_in_goal(cli, tmp_path):
    path = tmp_path / "program.goal"
    text = netsig.simulate_events(None, "bcast", "binomial", 8, 1024, settings={"L": "1us", "G": 1e-9}).to_goal()
    path.write_text(text)
    words = ["--network", SCENARIO, "--model", "fluid", "--set", "L=60us"]
    code, out, _ = cli("simulate", "--goal", path, *words, "--format", "csv")
    assert code == 0
    for program in (path, str(path)):
        found = netsig.simulate_goal(program, SCENARIO, model="fluid", settings={"L": "60us"})
        same(found.table(), out)
    found = netsig.simulate_goal(text, SCENARIO, model="fluid", settings=types.MappingProxyType({"L": "60us"}))
    assert found.time_s == float(next(csv.DictReader(io.StringIO(out)))["time_s"])
    assert found.to_goal().splitlines()[0] == text.splitlines()[0] == "num_ranks 8"


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("num_ranks 1\nrank 0 {\nfly\n}\n", "^program:3"),
        ("num_ranks 2\nrank 0 {\nrecv 8b from 1\n}\nrank 1 {\n}\n", "^program: .*; send one or remove the receive"),
    ],
)
def test_programs_that_are_refused(program, message):
    with pytest.raises(netsig.UsageError, match=message):
        netsig.simulate_goal(program, settings={"L": "1us", "G": 1e-9})


def test_events_are_of_one_case():
    with pytest.raises(netsig.UsageError, match="^procs and size make 2 cases, but only the events of one can be followed"):
        netsig.simulate_events(SCENARIO, "alltoall", "direct", [4, 8], 1024)


def test_a_profile_of_other_links_is_refused_by_both(cli, profile, profile_file):
    words = [
        "simulate", "--network", "ethernet-12x40", "--profile", profile_file, "--model", "loggp", "--collective",
        "bcast", "--algorithm", "binomial", "--procs", "4", "--size", "1KiB",
    ]  # fmt: skip
    arguments = ("ethernet-12x40", "bcast", "binomial", 4, 1024)
    code, _, messages = cli(*words)
    assert code == 3
    with pytest.raises(netsig.DataError) as refusal:
        netsig.simulate(*arguments, model="loggp", profile=profile)
    assert "1/beta" in messages[0] and "1/beta" in str(refusal.value)
    with pytest.warns(netsig.NetsigWarning, match="1/beta"):
        netsig.simulate(*arguments, model="loggp", profile=profile, extrapolate=True)


# Models


def test_models_by_name_and_collective(cli):
    for words, found in [
        ([], netsig.models()),
        (["hockney"], netsig.models("hockney")),
        (["--collective", "bcast"], netsig.models(collective="bcast")),
        (["binomial", "--collective", "bcast"], netsig.models("binomial", collective="bcast")),
    ]:
        code, out, errors = cli("models", *words, "--format", "csv")
        assert code == 0, errors
        same(found, out)
    with pytest.raises(netsig.UsageError, match="hockny"):
        netsig.models("hockny")


def test_models_of_messages_and_programs(cli, profile, profile_file):
    code, out, _ = cli(
        "models", "message_hockney", "--profile", profile_file, "--size", "1KiB..4KiB", "--format", "csv"
    )
    assert code == 0
    same(netsig.evaluate("message_hockney", profile=profile, size="1KiB..4KiB"), out)
    values = {"rho": 0.5, "flits": 16, "dimensions": 2, "hops": 4}
    code, out, _ = cli("models", "agarwal", *[f"--set={key}={value}" for key, value in values.items()], "--format", "csv")
    assert code == 0
    same(netsig.evaluate("agarwal", settings=values), out)
    with pytest.raises(netsig.UsageError, match="^model=.*hockney.* takes other arguments"):
        netsig.evaluate("message_hockney", size=8)
    with pytest.raises(netsig.UsageError, match='^agarwal has no parameter "speed"'):
        netsig.evaluate("agarwal", settings={**values, "speed": 1})


# Judgements


@pytest.mark.parametrize("show", ["summary", "cells"])
def test_penalties(cli, data, profile, profile_file, show):
    path = SOURCES / "examples/alltoall.csv"
    code, out, errors = cli("compare", path, "--selection", profile_file, "--show", show, "--format", "csv")
    assert code == 0, errors
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        same(profile.penalties(data, show=show), out)
    texts = [line.split(": ", 2)[-1] for line in errors]
    assert [str(one.message) for one in caught] == texts


def test_comparisons_with_the_tables_of_a_profile(cli, data):
    path = SOURCES / "examples/alltoall.csv"
    tables = SOURCES / "crates/model/src/profile/tests/everything.toml"
    code, out, errors = cli("compare", path, "--plogp", tables, "--format", "csv")
    assert code == 0, errors
    same(netsig.compare(data, plogp=netsig.Profile.read(tables)), out)


# Profiles as values


def test_a_profile_as_a_dictionary(profile):
    tomllib = pytest.importorskip("tomllib")
    values = profile.to_dict()
    assert values == tomllib.loads(profile.to_toml())
    assert type(values) is dict and values
