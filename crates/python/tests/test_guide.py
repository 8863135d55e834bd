"""The Python blocks of the guide run, page by page, in a copy of the examples."""

import re
import shutil
import warnings

import pytest

import netsig
from conftest import SOURCES

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = {path.name: BLOCK.findall(path.read_text()) for path in (SOURCES / "docs/guide/src").glob("*.md")}


@pytest.mark.parametrize("page", [name for name, blocks in PAGES.items() if blocks])
def test_page(page, tmp_path, monkeypatch):
    for path in (SOURCES / "examples").iterdir():
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    names = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", netsig.NetsigWarning)
        for block in PAGES[page]:
            exec(compile(block, page, "exec"), names)


def test_a_page_has_blocks():
    assert PAGES["python.md"]
