"""The page of a report, as the command line writes it."""

import warnings

import pytest

import netsig
from conftest import SOURCES


def test_the_page_is_that_of_the_command_line(cli, profile_file, profile, tmp_path, monkeypatch):
    monkeypatch.chdir(SOURCES / "examples")
    data, held_out = netsig.read_data("alltoall.csv"), netsig.read_data("heldout.csv")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", netsig.NetsigWarning)
        page = netsig.report(data, profile, held_out, path=tmp_path / "ours.html", procs=[8, 12])
    files = ["alltoall.csv", profile_file, "heldout.csv"]
    code, _, _ = cli("report", *files, "--procs", "8,12", "-o", tmp_path / "its.html")
    assert code == 0
    assert page == (tmp_path / "its.html").read_text() == (tmp_path / "ours.html").read_text()


def test_a_page_of_nothing_or_of_a_path_is_refused(profile):
    with pytest.raises(netsig.UsageError, match="give a Dataset or a Profile"):
        netsig.report()
    with pytest.raises(TypeError, match=r"netsig\.read_data\('data\.csv'\)|netsig\.read_data\(\"data\.csv\"\)"):
        netsig.report("data.csv")
    with pytest.raises(netsig.UsageError, match="procs"):
        netsig.report(profile, procs="many")
    with pytest.raises(netsig.DataError, match="nothing is predicted of 100000 processes"):
        netsig.report(profile, procs=100000)


def test_names_in_sources_are_text(profile):
    hostile = netsig.Profile.parse(profile.to_toml(), name="<script>alert(1)</script>")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        page = netsig.report(hostile, procs=8)
    assert "<script>alert" not in page
