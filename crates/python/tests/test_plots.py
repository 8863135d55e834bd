"""Figures show the data and the predictions, on the given axis."""

import subprocess
import sys
import warnings

import matplotlib

matplotlib.use("Agg")

import matplotlib.figure  # noqa: E402
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
import pytest  # noqa: E402

import netsig  # noqa: E402


@pytest.fixture
def ax():
    """An axis that no figure of pyplot holds."""
    return matplotlib.figure.Figure().subplots()


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", netsig.NetsigWarning)
        yield
    plt.close("all")


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_data_show_each_repetition_and_the_median_of_each_cell(data, ax):
    assert data.plot("alltoall", algorithm="library", ax=ax) is ax
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    frame = data.to_pandas()
    mine = frame[(frame.collective == "alltoall") & (frame.algorithm == "library")]
    counts = sorted(mine.procs.unique())
    assert legend(ax) == [f"{count} processes" for count in counts]
    points, lines = ax.lines[::2], ax.lines[1::2]
    assert sum(len(line.get_xdata()) for line in points) == len(mine)
    for count, dots, line in zip(counts, points, lines, strict=True):
        rows = mine[mine.procs == count]
        assert np.array_equal(dots.get_ydata(), rows.time_s)
        away = np.abs(np.log(dots.get_xdata() / rows.size_bytes))
        assert 0 < away.max() <= 0.05
        medians = rows.groupby("size_bytes").time_s.median()
        assert np.array_equal(line.get_xdata(), medians.index)
        assert np.array_equal(line.get_ydata(), medians)
        assert dots.get_color() == line.get_color()
    assert len({line.get_color() for line in lines}) == len(counts)
    assert plt.get_fignums() == []


def test_a_new_figure_without_an_axis(data):
    found = data.plot("alltoall", algorithm="library", procs=8)
    assert plt.get_fignums() == [found.figure.number]
    assert legend(found) == ["8 processes"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "^algorithm is missing: the data have .*library"),
        ({"collective": "bcast"}, "^collective='bcast': the data have none; give one of: alltoall$"),
        ({"algorithm": "fast"}, "^algorithm='fast': the data have none"),
        ({"algorithm": "library", "procs": [8, 999]}, "^procs=999: the data have none"),
    ],
)
def test_what_the_data_have_not(data, ax, arguments, message):
    with pytest.raises(netsig.UsageError, match=message):
        data.plot(**arguments, ax=ax)


def test_profiles_show_the_prediction_with_its_band_and_the_measured_cells(data, profile, ax):
    assert profile.plot("alltoall", data=data, procs=[4, 8], ax=ax) is ax
    assert legend(ax) == ["4 processes", "8 processes"]
    cells = data.to_pandas().query("collective == 'alltoall' and algorithm == 'library'")
    for count, curve, points, band in zip([4, 8], ax.lines[::2], ax.lines[1::2], ax.collections, strict=True):
        sizes = np.asarray(curve.get_xdata())
        found = profile.predict("alltoall", count, sizes)
        assert np.array_equal(curve.get_ydata(), found.time_s)
        medians = cells[cells.procs == count].groupby("size_bytes").time_s.median()
        assert np.array_equal(points.get_ydata(), medians)
        assert (sizes.min(), sizes.max()) == (medians.index.min(), medians.index.max())
        heights = band.get_paths()[0].vertices[:, 1]
        assert np.isclose(heights.min(), np.nanmin(found.lower_s)) and np.isclose(heights.max(), np.nanmax(found.upper_s))
    assert plt.get_fignums() == []


def test_steps_are_upright(profile, ax):
    """Between any two neighbouring sizes of the curve, the time grows as its line does, or they are neighbouring bytes."""
    profile.plot("alltoall", procs=8, size="256..256KiB", algorithm="library", extrapolate=True, ax=ax)
    sizes, times = (np.asarray(values) for values in ax.lines[0].get_data())
    rises = np.abs(np.diff(np.log(times))) > 0.05 + np.diff(np.log(sizes))
    assert np.all(np.diff(sizes)[rises] == 1)
    every = profile.predict("alltoall", 8, np.arange(256, 262144, 97), extrapolate=True).time_s
    jumps = np.abs(np.diff(np.log(every))) > 0.2
    assert rises.any() == jumps.any()


def test_profiles_without_process_counts(profile, data, ax):
    with pytest.raises(netsig.UsageError, match="^procs is missing; give process counts, or data"):
        profile.plot("alltoall", ax=ax)
    with pytest.raises(netsig.UsageError, match="^data: no cell of bcast library"):
        profile.plot("bcast", data=data, ax=ax)


def test_without_matplotlib_the_error_names_the_remedy(tmp_path):
    (tmp_path / "matplotlib.py").write_text("raise ImportError('none')")
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import netsig\n"
        "data = netsig.Dataset.from_arrays(collective='bcast', procs=4, size_bytes=1, time_s=1.0)\n"
        "try:\n    data.plot()\nexcept ImportError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "plot needs matplotlib; install it by: pip install matplotlib", done.stderr
