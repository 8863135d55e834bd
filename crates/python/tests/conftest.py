"""What the tests share: the command line, the sources, and a dataset with its profile."""

import os
import subprocess
import warnings
from pathlib import Path

import pytest

import netsig

SOURCES = Path(os.environ.get("NETSIG_SOURCES", Path(__file__).parents[3]))
NETSIG = Path(os.environ.get("NETSIG", SOURCES / "target/debug/netsig"))
HOME = SOURCES / "crates/cli/tests/refusals/home"


@pytest.fixture(scope="session")
def cli():
    """Runs the command line; gives standard output and the lines on standard error."""

    def run(*words, cwd=None):
        done = subprocess.run(
            [NETSIG, *map(str, words)], cwd=cwd, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout, done.stderr.splitlines()

    return run


@pytest.fixture(scope="session")
def data():
    """All-to-alls among up to eight emulated hosts."""
    return netsig.read_data(SOURCES / "examples/alltoall.csv")


@pytest.fixture(scope="session")
def profile_file(data, tmp_path_factory):
    """The profile of these data as a file."""
    path = tmp_path_factory.mktemp("profile") / "alltoall.toml"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", netsig.NetsigWarning)
        netsig.fit(data).write(path)
    return path


@pytest.fixture(scope="session")
def profile(profile_file):
    """The profile as read."""
    return netsig.Profile.read(profile_file)


@pytest.fixture
def home(monkeypatch):
    """The folder in which the refusals of the command line are tested."""
    monkeypatch.chdir(HOME)
    return HOME
