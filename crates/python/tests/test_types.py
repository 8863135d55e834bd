"""The stubs state the module's signatures, and type checkers accept a program of a user."""

import subprocess
import sys
import textwrap

import netsig

PROGRAM = """
    import numpy as np
    import netsig

    def main(path: str) -> None:
        data = netsig.read_data(path, force=True)
        profile = netsig.fit(data, threshold=None, network="ethernet-12x40")
        found = profile.predict("alltoall", [[8], [12]], np.array([1024, 4096]), settings={"gamma": 2})
        print(found.time_s, found.table()["time_s"], found.to_polars().height)
        for name, predictions in profile.predict("alltoall", 8, "1KiB", algorithm=None).items():
            print(name, predictions.model)
        again = netsig.Dataset.from_arrow(data.to_pandas(), provenance=data.provenance)
        print(len(again), netsig.simulate(None, "bcast", "binomial", 8, 1, settings={"L": "1us", "G": 1e-9}).losses)
        try:
            profile.select("bcast", 8, 1).best
        except netsig.DataError as error:
            print(error.exit_code)
"""


def test_stubs_agree_with_the_module(tmp_path):
    # PyO3 makes the list of names.
    allowed = tmp_path / "allowed"
    allowed.write_text("netsig._netsig.__all__\n")
    words = [sys.executable, "-m", "mypy.stubtest", "netsig", "--ignore-disjoint-bases", "--allowlist", allowed]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_program_passes_a_strict_check(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(PROGRAM))
    words = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", path]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    path.write_text("import netsig\nnetsig.fit('data.csv')\n")
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert 'incompatible type "str"; expected "Dataset"' in done.stdout


def test_everything_has_a_docstring():
    for name in netsig.__all__:
        thing = getattr(netsig, name)
        if name == "__version__":
            continue
        assert thing.__doc__, name
        for part, member in vars(thing).items() if isinstance(thing, type) else ():
            is_public = not part.startswith("_") and part not in ("columns", "exit_code")
            assert not is_public or member.__doc__, f"{name}.{part}"
