"""The Python blocks of the guide and the package's README run, page by page, in a copy of the examples."""

import re
import shutil
import warnings

import pytest

import netsig
from conftest import SOURCES

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PATHS = [*(SOURCES / "docs/guide/src").glob("*.md"), SOURCES / "crates/python/README.md"]
PAGES = {str(path.relative_to(SOURCES)): BLOCK.findall(path.read_text()) for path in PATHS}
NAMED = re.compile(r"`(netsig|Dataset|Profile|data|profile)\.(\w+)")


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
    assert PAGES["docs/guide/src/python.md"]
    assert PAGES["crates/python/README.md"]


def test_what_the_pages_name_exists():
    classes = {"data": "Dataset", "profile": "Profile", "Dataset": "Dataset", "Profile": "Profile"}
    for page in PAGES:
        named = NAMED.findall((SOURCES / page).read_text()) if PAGES[page] else []
        for owner, name in named:
            assert hasattr(netsig if owner == "netsig" else getattr(netsig, classes[owner]), name), (page, name)
        assert not PAGES[page] or named
