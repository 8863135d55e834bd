"""The notebook of the examples runs from its first cell to its last."""

import re
import shutil

import nbclient
import nbformat

from conftest import SOURCES


def test_notebook(tmp_path):
    for path in (SOURCES / "examples").iterdir():
        shutil.copy(path, tmp_path)
    notebook = nbformat.read(tmp_path / "contention.ipynb", as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    client = nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    )
    client.execute()
    shown = [output for cell in code for output in cell.outputs]
    assert any("image/png" in output.get("data", {}) for output in shown)
    # What the text says of the intervals, the cell above it counted.
    place, text = next((i, cell.source) for i, cell in enumerate(notebook.cells) if "are too narrow" in cell.source)
    printed = "".join(output.text for output in notebook.cells[place - 1].outputs)
    shares = re.findall(r"\d+ of \d+", text)
    assert len(shares) == 4
    assert all(f": {share}" in printed for share in shares), printed
