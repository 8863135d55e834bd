"""The stubs state the module's signatures, and strict checkers accept the programs of users, guide and notebook."""

import ast
import os
import shutil
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path

import nbformat
import numpy as np
import pytest

import netsig
from conftest import SOURCES
from test_guide import PAGES

PROGRAM = """
    from collections.abc import Mapping

    import numpy as np
    import netsig
    import pandas as pd
    import polars as pl
    from matplotlib.axes import Axes
    from numpy.typing import NDArray
    from typing_extensions import assert_type

    def main(path: str) -> None:
        data = netsig.read_data(path, force=True)
        profile = netsig.fit(data, threshold=None, network="ethernet-12x40")
        found = profile.predict("alltoall", [[8], [12]], np.array([1024, 4096]), settings={"gamma": 2})
        print(found.time_s.max(), found.table()["time_s"], found.to_polars().height)
        for name, predictions in profile.predict("alltoall", 8, "1KiB", algorithm=None).items():
            print(name, predictions.model)
        again = netsig.Dataset.from_arrow(data.to_pandas(), provenance=data.provenance)
        print(len(again), netsig.simulate(None, "bcast", "binomial", 8, 1, settings={"L": "1us", "G": 1e-9}).losses)
        try:
            profile.select("bcast", 8, 1).best
        except netsig.DataError as error:
            print(error.exit_code)

    def kinds(profile: netsig.Profile, count: np.int32, counts: NDArray[np.int32], sizes: pd.Series[int], column: pl.Series) -> None:
        one = profile.predict("alltoall", count, 1024)
        assert_type((one.time_s, one.procs, one.standing), tuple[float, int, str])
        many = profile.predict("alltoall", counts, "1KiB")
        assert_type(many.upper_s, NDArray[np.float64])
        assert_type(many.segment_bytes, NDArray[np.int64])
        assert_type(profile.predict("alltoall", 8, "1KiB").time_s, float | NDArray[np.float64])
        assert_type(profile.select("alltoall", 8, 1024).gain, float)
        assert_type(profile.select("alltoall", "8", sizes).best, NDArray[np.str_])
        assert_type(netsig.simulate(None, "bcast", "binomial", 8, 1).losses, int)
        assert_type(netsig.simulate(None, "bcast", "binomial", 8, column).losses, NDArray[np.int64])
        assert_type(profile.choices().to_pandas(), pd.DataFrame)
        assert_type(many.to_polars(), pl.DataFrame)

    def further(profile: netsig.Profile, data: netsig.Dataset, matrix: NDArray[np.int64], settings: Mapping[str, float]) -> None:
        exchange = profile.predict("alltoallv", exchange=matrix, settings=settings)
        assert_type(exchange.time_s, float)
        assert_type(profile.select("alltoallv", exchange="exchange.csv", clusters=[4, 8]).best, str)
        for (algorithm, model), predictions in profile.predict("alltoall", 8, [1024], all_models=True).items():
            print(algorithm + model, predictions.table()["time_s"])
        mine = netsig.Dataset.from_arrays(collective="alltoall", procs=8, size_bytes=[1, 2], time_s=matrix * 1e-3)
        print(mine.cells(), netsig.Dataset.from_polars(data.to_polars(), launch=0), netsig.bounds(matrix, 1e-4, "1ns"))
        events = netsig.simulate_events(netsig.Network("ethernet-12x40"), "alltoall", "pairwise", 8, "1KiB")
        assert_type((events.gantt(), events.links()), tuple[str, netsig.Table])
        assert_type(netsig.simulate_goal(events.to_goal(), clusters_of(settings)).time_s, float)
        axes: Axes = data.plot("alltoall", ax=profile.plot("alltoall", data=data))
        print(axes, netsig.plan("alltoall up to 64", 600))
        measured: netsig.Dataset = netsig.measure("plan.toml", output="data.csv", on="mpi", launcher="srun")
        print(measured, profile.tune("openmpi-4.1", procs="8..64"), profile.to_dict()["collective"])

    def clusters_of(settings: Mapping[str, float]) -> str:
        print(netsig.discover("wan-6-6-30x5").hosts, netsig.evaluate("loggp", settings=settings))
        return "ethernet-12x40"
"""
# Notebooks show the value of the last expression of a cell, and matplotlib leaves the types of its keywords open.
OF_NOTEBOOKS = "# pyright: reportUnusedExpression=false, reportUnknownMemberType=false"
# What is wrong, and a part of what each checker says of it.
MISTAKES = {
    'netsig.fit("data.csv")': ('incompatible type "str"; expected "Dataset"', 'parameter "data" of type "Dataset"'),
    'netsig.simulate(None, "bcast", "binomial", 8, 1).time_s.shape': (
        '"float" has no attribute "shape"',
        'Cannot access attribute "shape" for class "float"',
    ),
    'netsig.Clusters([4, "8"])': ('incompatible type "str"; expected "int"', 'parameter "sizes" of type "Sequence[int]"'),
    'netsig.simulate(None, "bcast", "binomial", 8, 1.5)': ('"simulate" matches', '"simulate" match'),
}
# Of the names in the stubs.
DTYPES = {"_Floats": np.floating, "_Integers": np.int64, "_Texts": np.str_}


def cells_of_the_notebook():
    notebook = nbformat.read(SOURCES / "examples/contention.ipynb", as_version=4)
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


def test_stubs_agree_with_the_module(tmp_path):
    # PyO3 makes the list of names.
    allowed = tmp_path / "allowed"
    allowed.write_text("netsig._netsig.__all__\n")
    # Names alone are compared: the types of data frames do not matter, and take longer than all else.
    config = tmp_path / "mypy.ini"
    config.write_text("[mypy]\n[mypy-pandas.*,polars.*]\nfollow_imports = skip\nfollow_imports_for_stubs = True\n")
    words = ["--ignore-disjoint-bases", "--allowlist", allowed, "--mypy-config-file", config]
    words = [sys.executable, "-m", "mypy.stubtest", "netsig", *words]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module", params=["mypy", "pyright"])
def complaints(request, tmp_path_factory):
    """The name of a checker, and the lines that its strict check says of the package, programs and mistakes."""
    folder = tmp_path_factory.mktemp("programs")
    # A copy, since checkers keep silent about installed packages.
    package = Path(netsig.__file__).parent
    shutil.copytree(package, folder / "netsig", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    shutil.copy(SOURCES / "crates/python/bench.py", folder)
    (folder / "program.py").write_text(textwrap.dedent(PROGRAM))
    (folder / "mistakes.py").write_text("".join(f"{line}\n" for line in ["import netsig", *MISTAKES]))
    (folder / "notebook.py").write_text("\n".join([OF_NOTEBOOKS, *cells_of_the_notebook()]))
    for page, blocks in PAGES.items():
        if blocks:
            (folder / f"guide_{Path(page).stem.replace('-', '_')}.py").write_text("\n".join(blocks))
    # The cache has NumPy, pandas and Polars, which take most of the time.
    words = ["mypy", "--strict", "--cache-dir", SOURCES / "target/python/mypy", "."]
    if request.param == "pyright":
        (folder / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}')
        words = ["pyright", "--pythonpath", sys.executable]
    # Pyright does not ask whether there is a newer one.
    environment = os.environ | {"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return request.param, [line for line in (done.stdout + done.stderr).splitlines() if "error" in line]


def test_strict_checks(complaints):
    _, lines = complaints
    *found, total = lines
    assert "errors" in total
    assert [line for line in found if "mistakes.py:" not in line] == []


def test_mistakes_are_found(complaints):
    name, lines = complaints
    for number, (by_mypy, by_pyright) in enumerate(MISTAKES.values(), start=2):
        wanted = by_mypy if name == "mypy" else by_pyright
        assert any(f"mistakes.py:{number}:" in line and wanted in line for line in lines), lines


def hinted(name):
    """The properties of a class of the stubs, with the names of their types."""
    stubs = ast.parse((Path(netsig.__file__).parent / "_netsig.pyi").read_text())
    found = next(part for part in stubs.body if isinstance(part, ast.ClassDef) and part.name == name)
    functions = [part for part in found.body if isinstance(part, ast.FunctionDef)]
    return {part.name: ast.unparse(part.returns) for part in functions if ast.unparse(part.returns) in DTYPES}


def test_arrays_are_of_the_kinds_of_the_stubs(profile):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", netsig.NetsigWarning)
        answers = {
            "Predictions": lambda size: profile.predict("alltoall", 8, size),
            "Selection": lambda size: profile.select("alltoall", 8, size),
            "Simulations": lambda size: netsig.simulate(None, "alltoall", "pairwise", 8, size, profile=profile),
        }
        for name, ask in answers.items():
            hints = hinted(name)
            assert len(hints) >= 4
            for attribute, kind in hints.items():
                array = getattr(ask([1024, 4096]), attribute)
                assert isinstance(array, np.ndarray), attribute
                assert np.issubdtype(array.dtype, DTYPES[kind]), attribute
                value = getattr(ask(1024), attribute)
                assert type(value) is type(array[0].item()), attribute


def test_everything_has_a_docstring():
    for name in netsig.__all__:
        thing = getattr(netsig, name)
        if name == "__version__":
            continue
        assert thing.__doc__, name
        for part, member in vars(thing).items() if isinstance(thing, type) else ():
            is_public = not part.startswith("_") and part not in ("columns", "exit_code")
            assert not is_public or member.__doc__, f"{name}.{part}"
