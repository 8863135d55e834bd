"""Measurements: starts the command ``netsig``, shows its progress and reads what it wrote."""

from __future__ import annotations

import codecs
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Generator
from os import PathLike
from pathlib import Path
from typing import cast

from ._errors import ArgumentTypeError, DataError, FileMissingError, NetsigError, UsageError
from ._netsig import Dataset, Profile, read_data
from ._netsig import _in_python  # pyright: ignore[reportPrivateUsage]

_Path = str | PathLike[str]

#: The exception of each exit code.
_EXCEPTIONS: dict[int, type[NetsigError]] = {1: NetsigError, 2: UsageError, 3: DataError}

#: Begins each message of the command.
_LABEL = "netsig: "


def measure(
    plan: _Path,
    *,
    output: _Path,
    on: str | None = None,
    hostfile: _Path | None = None,
    budget: str | float | None = None,
    size: str | None = None,
    max_procs: int | None = None,
    precision: str | None = None,
    ppn: int | None = None,
    resume: bool = False,
    **options: object,
) -> Dataset:
    """Measures by the command ``netsig measure``, and reads the data.

    The command is the file that the environment variable ``NETSIG`` names, else ``netsig`` in ``PATH``.
    Its progress and messages appear on ``sys.stderr``. An interrupt ends it as Ctrl-C ends it in a
    shell: the repetitions up to then stay in ``output``, and ``resume=True`` goes on with them.

    Parameters
    ----------
    plan : str or os.PathLike
        The file of a plan, the text of one (:func:`plan`), or a prediction such as
        ``"alltoall library up to 64"``, for which each launch is planned from the data before it.
    output : str or os.PathLike
        The data file; it must not exist yet, unless ``resume`` is given.
    on : str, optional
        Where to measure: ``"mpi"`` (the default), ``"lab:SCENARIO"``, or with a plan ``"sim:SCENARIO"``.
    hostfile : str or os.PathLike, optional
        The hosts, in the form that ``mpirun`` reads.
    budget : str or float, optional
        Longest duration, such as ``"10m"``, or in seconds.
    size : str, optional
        The sizes of a prediction, such as ``"1KiB..64KiB"``.
    max_procs : int, optional
        The most processes to measure for a prediction.
    precision : str, optional
        Repeat until the half-width of the median's interval is below this share, such as ``"2%"``.
    ppn : int, optional
        Number of ranks on each host.
    resume : bool
        Continue an interrupted run.
    **options : object
        Further options of ``netsig measure``: ``launcher="srun"`` is ``--launcher srun``; ``True`` gives
        an option without a value, a list an option for each item.

    Returns
    -------
    Dataset

    Raises
    ------
    FileMissingError
        If there is no command ``netsig``.
    UsageError, DataError, NetsigError
        If the command fails with the exit code 2, 3 or another, with its messages.
    KeyboardInterrupt
        If Python or the command is interrupted.
    """
    all_options = {
        "on": on,
        "hostfile": hostfile,
        "budget": budget,
        "size": size,
        "max_procs": max_procs,
        "precision": precision,
        "ppn": ppn,
        "resume": resume,
        **options,
    }
    _refuse_other_than_path("plan", plan)
    _refuse_other_than_path("output", output)
    with _plan_words(plan) as words:
        _run(["measure", *words, "--output", os.fspath(output), *_option_words(all_options)])
    return read_data(output)


def learn(
    prediction: str,
    *,
    output: _Path,
    profile: _Path | None = None,
    on: str | None = None,
    hostfile: _Path | None = None,
    budget: str | float | None = None,
    size: str | None = None,
    max_procs: int | None = None,
    precision: str | None = None,
    ppn: int | None = None,
    resume: bool = False,
    **options: object,
) -> tuple[Dataset, Profile]:
    """Measures for a prediction and fits, by the command ``netsig learn``.

    Parameters
    ----------
    prediction : str
        ``"COLLECTIVE [ALGORITHM,...] up to N"``, such as ``"alltoall library up to 64"``.
    output : str or os.PathLike
        The data file; it must not exist yet, unless ``resume`` is given.
    profile : str or os.PathLike, optional
        The profile to write; by default ``output`` with the ending ``.toml``.
    on : str, optional
        Where to measure: ``"mpi"`` (the default) or ``"lab:SCENARIO"``.
    hostfile, budget, size, max_procs, precision, ppn, resume, **options
        As in :func:`measure`.

    Returns
    -------
    tuple of Dataset and Profile

    Raises
    ------
    FileMissingError, UsageError, DataError, NetsigError, KeyboardInterrupt
        As :func:`measure`.
    """
    _refuse_other_than_path("prediction", prediction)
    _refuse_other_than_path("output", output)
    written = Path(output).with_suffix(".toml") if profile is None else Path(profile)
    all_options = {
        "profile": written,
        "on": on,
        "hostfile": hostfile,
        "budget": budget,
        "size": size,
        "max_procs": max_procs,
        "precision": precision,
        "ppn": ppn,
        "resume": resume,
        **options,
    }
    _run(["learn", prediction, "--output", os.fspath(output), *_option_words(all_options)])
    return read_data(output), Profile.read(written)


def _refuse_other_than_path(keyword: str, value: object) -> None:
    """Refuses an argument that is neither text nor a path."""
    if not isinstance(value, str | PathLike):
        kind = type(value).__name__
        raise ArgumentTypeError(f"an object of {kind} is given where a str or a path is needed as {keyword}; give one")


@contextlib.contextmanager
def _plan_words(plan: _Path) -> Generator[list[str]]:
    """The words that name a plan or a prediction; a plan given as text is in a file meanwhile."""
    if not isinstance(plan, str) or os.path.exists(plan):
        yield [os.fspath(plan)]
    elif "\n" in plan:
        with tempfile.TemporaryDirectory(prefix="netsig-") as folder:
            path = Path(folder, "plan.toml")
            path.write_text(plan, encoding="utf-8")
            yield [str(path)]
    elif " up to " in plan:
        yield ["--prediction", plan]
    else:
        yield [plan]


def _option_words(options: dict[str, object]) -> list[str]:
    """The options as words: none for ``None`` and ``False``, several for a list."""
    words: list[str] = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        items = cast("list[object]", value) if isinstance(value, list | tuple) else [value]
        for item in items:
            if item is True:
                words.append(option)
            elif item is not None and item is not False:
                text = os.fspath(cast("PathLike[str]", item)) if isinstance(item, PathLike) else str(item)
                words.append(f"{option}={text}")
    return words


def _command() -> str:
    """The path of the command."""
    named = os.environ.get("NETSIG")
    found = shutil.which(named or "netsig")
    if found is None:
        what = f"NETSIG={named}: is no command" if named else "the command netsig is not in PATH"
        remedy = "install it by `make install` or `cargo install --path crates/cli` in netsig's sources"
        raise FileMissingError(f"{what}; {remedy}, or set the environment variable NETSIG to its path")
    return found


def _run(words: list[str]) -> None:
    """Runs the command, passes its output on to standard error, and raises its failure."""
    # In a session of its own it gets no signal but those of this function.
    messages: list[str] = []
    with subprocess.Popen(
        [_command(), *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        try:
            try:
                messages += _passed_on(process)
            except KeyboardInterrupt:
                process.send_signal(signal.SIGINT)
                messages += _passed_on(process)
                raise
        finally:
            if process.poll() is None:
                process.terminate()
            code = process.wait()
    _raise_failure(words[0], code, messages)


def _passed_on(process: subprocess.Popen[bytes]) -> list[str]:
    """Writes the output to standard error as it comes; gives the error messages in it, without their label."""
    assert process.stdout is not None
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    text = ""
    while chunk := os.read(process.stdout.fileno(), 1 << 16):
        part = decoder.decode(chunk)
        text += part
        sys.stderr.write(part)
        sys.stderr.flush()
    lines = [line.rpartition("\r")[2] for line in text.split("\n")]
    errors = [line.removeprefix(_LABEL) for line in lines if line.startswith(_LABEL)]
    return [line for line in errors if not line.startswith(("note:", "warning:"))]


def _raise_failure(command: str, code: int, messages: list[str]) -> None:
    """Raises the exception of an exit code."""
    if code == 0:
        return
    if code in (128 + signal.SIGINT, -signal.SIGINT):
        raise KeyboardInterrupt("\n".join(messages))
    unexplained = f"netsig {command} ended with the exit code {code}; its output says more"
    raise _EXCEPTIONS.get(code, NetsigError)(_in_python("\n".join(messages)) or unexplained)
