"""Reductions and barriers: predicted, selected and simulated as by the command line."""

import warnings

import pytest

import netsig
from conftest import SOURCES
from test_answers import same

NETWORK = {"L": "50us", "G": "8ns/B", "omega": "0.25ns/B"}
NETWORK_WORDS = [word for name, value in NETWORK.items() for word in ("--set", f"{name}={value}")]


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", netsig.NetsigWarning)
        yield


@pytest.fixture(scope="module")
def measured(cli, tmp_path_factory):
    """All-reduces on a simulated network, and the file of their profile."""
    folder = tmp_path_factory.mktemp("reductions")
    plan = SOURCES / "crates/cli/tests/support/reductions.toml"
    code, _, lines = cli("measure", plan, "-o", folder / "data.csv", "--on", "sim:ethernet-12x20")
    assert code == 0, lines
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", netsig.NetsigWarning)
        profile = netsig.fit(netsig.read_data(folder / "data.csv"))
    profile.write(folder / "profile.toml")
    return folder / "profile.toml"


def test_predictions_and_selections(cli, measured):
    profile = netsig.Profile.read(measured)
    assert profile.algorithms("allreduce") == ["library", "rabenseifner", "recursive-doubling", "ring"]
    words = ["--collective", "allreduce", "--procs", "8,12", "--size", "1KiB..64KiB", "--format", "csv"]
    code, out, _ = cli("predict", measured, "--algorithm", "ring", *words)
    assert code == 0
    same(profile.predict("allreduce", [[8], [12]], "1KiB..64KiB", algorithm="ring").table(), out)
    code, out, _ = cli("select", measured, *words)
    assert code == 0
    same(profile.select("allreduce", [[8], [12]], "1KiB..64KiB").table(), out)


@pytest.mark.parametrize(
    ("collective", "algorithm", "size"),
    [
        ("allreduce", "rabenseifner", 4096),
        ("reduce", "binomial", 4096),
        ("reduce-scatter", "ring", 4096),
        ("reduce-scatter-block", "pairwise", 4096),
        ("barrier", "dissemination", 0),
    ],
)
def test_simulations(cli, collective, algorithm, size):
    code, out, _ = cli(
        "simulate", "--collective", collective, "--algorithm", algorithm, "--procs", "8", "--size", size, *NETWORK_WORDS,
        "--format", "csv",
    )
    assert code == 0
    same(netsig.simulate(None, collective, algorithm, 8, size, settings=NETWORK).table(), out)
    events = netsig.simulate_events(None, collective, algorithm, 8, size, settings=NETWORK)
    again = netsig.simulate_goal(events.to_goal(), settings={"L": "50us", "G": "8ns/B"})
    assert again.time_s == pytest.approx(events.time_s, rel=1e-6)


def test_vectors_of_broken_elements(measured):
    profile = netsig.Profile.read(measured)
    for ask in (profile.predict, profile.select):
        with pytest.raises(netsig.UsageError, match="^size: 1001 B has no whole number of double elements"):
            ask("allreduce", 8, 1001)


def test_combining_takes_omega():
    """Three steps of doubling among eight each combine the vector."""
    without, slow = (
        netsig.simulate(None, "allreduce", "recursive-doubling", 8, 8000, settings=NETWORK | {"omega": omega}).time_s
        for omega in (0, "10ns/B")
    )
    assert slow - without == pytest.approx(3 * 8000 * 10e-9)


def test_refusals():
    def simulate(collective, algorithm, procs, size):
        netsig.simulate(None, collective, algorithm, procs, size, settings=NETWORK)

    with pytest.raises(netsig.UsageError, match="no whole number of elements of 8 B; give a multiple of 8 bytes"):
        simulate("allreduce", "ring", 8, 1001)
    with pytest.raises(netsig.UsageError, match="in each block; give a multiple of 48 bytes"):
        simulate("reduce-scatter-block", "pairwise", 6, 1024)
    with pytest.raises(netsig.UsageError, match="a barrier has no data"):
        simulate("barrier", "tree", 6, 8)


def test_a_note_tells_that_combining_takes_no_time():
    with pytest.warns(netsig.NetsigWarning, match="omega is not known"):
        netsig.simulate(None, "allreduce", "ring", 8, 800, settings={"L": "50us", "G": "8ns/B"})


@pytest.mark.parametrize("commutative", [False, True])
def test_rules(cli, measured, commutative):
    words = ["--commutative"] if commutative else []
    code, out, _ = cli("tune", measured, "--for", "openmpi-4.1", "-o", "-", *words)
    assert code == 0
    assert netsig.Profile.read(measured).tune("openmpi-4.1", commutative=commutative) == out
    assert ("# These rules are wrong for operations that do not commute\n" in out) == commutative
    assert ("left out as wrong for operations that do not commute" in out) != commutative


def test_rules_left_out_are_named_by_the_keyword(measured):
    with pytest.warns(netsig.NetsigWarning, match="give commutative=True if all operations"):
        netsig.Profile.read(measured).tune("openmpi-4.1")
