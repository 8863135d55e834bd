"""The command line, started from Python: its data, progress, failures and interrupts."""

import gc
import os
import signal
import stat
import subprocess
import sys
import textwrap
import time
import warnings

import pytest

import netsig
from conftest import NETSIG

PLAN = """
launches = 1

[[collective]]
name = "alltoall"
algorithms = ["library"]
procs = [3, 4]
sizes = "1KiB"
repetitions = 5
"""

SCENARIO = "sim:ethernet-8x50"


@pytest.fixture(autouse=True)
def command(monkeypatch):
    monkeypatch.setenv("NETSIG", str(NETSIG))


@pytest.fixture
def pretender(tmp_path, monkeypatch):
    """Makes a program in the place of the command."""

    def make(text):
        path = tmp_path / "netsig"
        path.write_text("#!/bin/sh\n" + textwrap.dedent(text))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("NETSIG", str(path))

    return make


@pytest.mark.parametrize("is_text", [True, False])
def test_a_plan_is_measured(tmp_path, capsys, is_text):
    path, output = tmp_path / "plan.toml", tmp_path / "data.csv"
    path.write_text(PLAN)
    data = netsig.measure(PLAN if is_text else path, output=output, on=SCENARIO)
    cells = [row for row in data.cells().to_dicts() if row["collective"]]
    assert [(row["procs"], row["size_bytes"]) for row in cells] == [(3, 1024), (4, 1024)]
    assert all(row["repetitions"] == 5 for row in cells)
    assert len(netsig.read_data(output)) == len(data)
    shown = capsys.readouterr()
    assert shown.out == "" and str(output) in shown.err


def test_failures_are_exceptions_with_the_messages(tmp_path, cli):
    output = tmp_path / "data.csv"
    with pytest.raises(netsig.UsageError) as refusal:
        netsig.measure(tmp_path / "none.toml", output=output, on=SCENARIO)
    code, _, lines = cli("measure", tmp_path / "none.toml", "--output", output, "--on", SCENARIO)
    assert code == 2
    assert [f"netsig: {line}" for line in str(refusal.value).splitlines()] == lines
    with pytest.raises(netsig.UsageError, match="^sim: follows a known signature"):
        netsig.measure("alltoall up to 8", output=output, on=SCENARIO)
    with pytest.raises(netsig.UsageError, match="^measure has no keyword speed; leave it out$"):
        netsig.measure(PLAN, output=output, on=SCENARIO, speed=3)
    with pytest.raises(netsig.UsageError, match='^budget="x": write a duration [^\n]*$'):
        netsig.measure(PLAN, output=output, on=SCENARIO, budget="x")
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", ResourceWarning)
        with pytest.raises(netsig.UsageError):
            netsig.measure(PLAN, output=output, on=SCENARIO, speed=3)
        gc.collect()
    assert [str(warning.message) for warning in found] == []


@pytest.mark.parametrize(
    ("code", "exception"), [(1, netsig.NetsigError), (2, netsig.UsageError), (3, netsig.DataError), (7, netsig.NetsigError)]
)
def test_exit_codes(tmp_path, pretender, code, exception):
    pretender(f"""
        echo progress
        echo 'netsig: note: assumed' >&2
        echo 'netsig: warning: doubtful' >&2
        echo 'netsig: it failed; try again' >&2
        echo 'netsig: twice' >&2
        exit {code}
    """)
    with pytest.raises(exception, match="^it failed; try again\ntwice$") as failure:
        netsig.measure(PLAN, output=tmp_path / "data.csv")
    assert type(failure.value) is exception


def test_a_failure_without_words(tmp_path, pretender):
    pretender("exit 1")
    with pytest.raises(netsig.NetsigError, match="^netsig learn ended with the exit code 1; its output says more$"):
        netsig.learn("alltoall up to 8", output=tmp_path / "data.csv")


def test_options_become_words(tmp_path, pretender):
    pretender(f"""
        printf '%s\\n' "$@" > {tmp_path}/words
        exit 3
    """)
    with pytest.raises(netsig.DataError):
        netsig.measure(
            "alltoall up to 8", output=tmp_path / "data.csv", budget=60, max_procs=4, resume=True, launcher="srun",
            launcher_option=["--a", "--b=1"], verbose=True, quiet=False, hostfile=tmp_path / "hosts",
        )  # fmt: skip
    words = (tmp_path / "words").read_text().splitlines()
    assert words == [
        "measure", "--prediction", "alltoall up to 8", "--output", str(tmp_path / "data.csv"),
        f"--hostfile={tmp_path}/hosts", "--budget=60", "--max-procs=4", "--resume", "--launcher=srun",
        "--launcher-option=--a", "--launcher-option=--b=1", "--verbose",
    ]  # fmt: skip
    with pytest.raises(netsig.DataError):
        netsig.learn("alltoall up to 8", output=tmp_path / "data.csv", on="lab:ethernet-8x50")
    words = (tmp_path / "words").read_text().splitlines()
    assert words == [
        "learn", "alltoall up to 8", "--output", str(tmp_path / "data.csv"), f"--profile={tmp_path}/data.toml",
        "--on=lab:ethernet-8x50",
    ]  # fmt: skip


def test_learning_gives_data_and_profile(tmp_path, pretender, data, profile_file):
    data.write(tmp_path / "ready.csv")
    pretender(f"cp {tmp_path}/ready.csv {tmp_path}/out.csv && cp {profile_file} {tmp_path}/out.toml")
    measured, profile = netsig.learn("alltoall up to 8", output=tmp_path / "out.csv")
    assert len(measured) == len(data)
    assert profile.to_toml() == profile_file.read_text()


@pytest.mark.parametrize("is_named", [True, False])
def test_without_the_command_the_error_names_the_remedy(tmp_path, monkeypatch, is_named):
    if is_named:
        monkeypatch.setenv("NETSIG", str(tmp_path / "absent"))
    else:
        monkeypatch.delenv("NETSIG")
        monkeypatch.setenv("PATH", str(tmp_path))
    what = f"^NETSIG={tmp_path}/absent: is no command" if is_named else "^the command netsig is not in PATH"
    with pytest.raises(netsig.FileMissingError, match=what + "; install it .*, or set the environment variable NETSIG"):
        netsig.measure(PLAN, output=tmp_path / "data.csv")


def test_an_interrupt_ends_the_command_by_its_rules(tmp_path):
    """The command gets one SIGINT, ends its work, and is waited for."""
    path = tmp_path / "netsig"
    path.write_text(
        "#!/bin/sh\n"
        f"trap 'echo interrupted; sleep 0.3; echo kept > {tmp_path}/kept; exit 130' INT\n"
        "echo started\n"
        "while :; do sleep 0.05; done\n"
    )
    path.chmod(0o755)
    program = textwrap.dedent(f"""
        import netsig
        try:
            netsig.measure("alltoall up to 8", output={str(tmp_path / "data.csv")!r})
        except KeyboardInterrupt:
            print("ended", flush=True)
    """)
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        env={**os.environ, "NETSIG": str(path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr.readline() == "started\n"
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (out, err) == ("ended\n", "interrupted\n")
    assert (tmp_path / "kept").read_text() == "kept\n"
