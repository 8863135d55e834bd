"""Figures of data and profiles, drawn with matplotlib on the axis that the caller gives."""

# pyright: reportUnknownMemberType=false
# matplotlib leaves the types of its keywords open.

from __future__ import annotations

import importlib
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ._errors import ArgumentTypeError, NetsigWarning, UsageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray

    from ._netsig import Network, Profile, Table

#: Sizes of a predicted curve for each doubling.
_STEPS = 24

#: Change of ln T between neighbouring sizes from which a curve is taken to step.
_STEP = 0.05

#: Half-width of the jitter of repetitions, in ln m.
_JITTER = 0.05

#: What the sizes of collectives are, where they are no bytes per destination.
_SIZE_TITLES = {"bcast": "bytes of the message"} | dict.fromkeys(
    ("allreduce", "reduce", "reduce-scatter", "reduce-scatter-block"), "bytes of the vector"
)

#: Sizes that a figure shows without data.
_USUAL_SIZES = (256, 256 << 10)


def _axis(ax: Axes | None) -> Axes:
    """The axis to draw on, with its scales and labels."""
    try:
        importlib.import_module("matplotlib")
    except ImportError as error:
        raise ImportError("plot needs matplotlib; install it by: pip install matplotlib") from error
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.subplots()[1]
    if not hasattr(ax, "set_xscale"):
        kind = type(ax).__name__
        raise ArgumentTypeError(f"an object of {kind} is given where an axis of matplotlib is needed as ax; give such as plt.gca()")
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    ax.set_ylabel("time in s")
    return ax


def _name_sizes(ax: Axes, collective: str) -> None:
    """Labels the axis of sizes."""
    ax.set_xlabel(_SIZE_TITLES.get(collective, "bytes per destination"))


def _only(kind: str, asked: str | None, known: list[str]) -> str:
    """The asked name, or the only one that is known."""
    listed = ", ".join(known)
    if asked is not None:
        if asked in known:
            return asked
        raise UsageError(f"{kind}={asked!r}: the data have none; give one of: {listed}")
    if len(known) == 1:
        return known[0]
    raise UsageError(f"{kind} is missing: the data have {listed or 'none'}; give {kind}= one of them")


def _kept(rows: Table, **wanted: str) -> NDArray[np.bool_]:
    """The rows of a collective and algorithm with a size that a logarithmic axis shows."""
    kept = np.asarray(rows["size_bytes"], dtype=float) > 0
    for column, value in wanted.items():
        kept &= np.array([cell == value for cell in rows[column]], dtype=bool)
    return kept


def _counts(asked: ArrayLike | None, known: NDArray[np.int64]) -> list[int]:
    """The asked process counts, or all that are known."""
    every = [int(count) for count in np.unique(known)]
    if asked is None:
        return every
    counts = [int(count) for count in np.unique(np.asarray(asked))]
    missing = [count for count in counts if count not in every]
    if missing:
        listed = ", ".join(map(str, every))
        raise UsageError(f"procs={missing[0]}: the data have none; give some of: {listed}")
    return counts


def _colours(counts: list[int]) -> dict[int, Any]:
    """A colour for each process count."""
    import matplotlib

    few = len(counts) <= 10
    palette = matplotlib.colormaps["tab10" if few else "viridis"]
    return {count: palette(place if few else place / (len(counts) - 1)) for place, count in enumerate(counts)}


def plot_data(
    rows: Table,
    cells: Table,
    collective: str | None,
    algorithm: str | None,
    procs: ArrayLike | None,
    ax: Axes | None,
) -> Axes:
    """Draws repetitions with jitter, and the median of each cell; see ``Dataset.plot``."""
    ax = _axis(ax)
    collective = _only("collective", collective, sorted({name for name in cells["collective"] if name}))
    of_collective = zip(cells["collective"], cells["algorithm"], strict=True)
    known = sorted({name for place, name in of_collective if place == collective})
    algorithm = _only("algorithm", algorithm, known)
    of_cells = _kept(cells, collective=collective, algorithm=algorithm)
    counts = _counts(procs, np.array(cells["procs"], dtype=np.int64)[of_cells])
    kept = _kept(rows, collective=collective, algorithm=algorithm)
    kept &= np.array([status == "ok" for status in rows["status"]], dtype=bool)
    columns = {name: np.array(rows[name], dtype=float)[kept] for name in ("procs", "size_bytes", "time_s")}
    jitter = np.exp(np.random.default_rng(0).uniform(-_JITTER, _JITTER, len(columns["procs"])))
    for count, colour in _colours(counts).items():
        mine = columns["procs"] == count
        places = (columns["size_bytes"] * jitter)[mine]
        ax.plot(places, columns["time_s"][mine], ".", color=colour, alpha=0.35, markersize=3, zorder=1)
        sizes, medians = _medians(cells, of_cells, count)
        ax.plot(sizes, medians, "o-", color=colour, markersize=4, label=f"{count} processes", zorder=2)
    _name_sizes(ax, collective)
    ax.set_title(f"{collective} {algorithm}")
    ax.legend()
    return ax


def _medians(cells: Table, kept: NDArray[np.bool_], count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sizes and medians of the cells of a process count, ascending in size."""
    mine = kept & (np.array(cells["procs"], dtype=np.int64) == count)
    sizes = np.array(cells["size_bytes"], dtype=float)[mine]
    medians = np.array(cells["median_s"], dtype=float)[mine]
    order = np.argsort(sizes)
    return sizes[order], medians[order]


@dataclass(frozen=True)
class _Curve:
    """The predicted times of a process count over sizes."""

    profile: Profile
    collective: str
    count: int
    algorithm: str
    network: Network | str | None
    extrapolate: bool

    def _predict(self, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Time and ends of the interval, a row each."""
        found = self.profile.predict(
            self.collective,
            self.count,
            sizes,
            algorithm=self.algorithm,
            network=self.network,
            extrapolate=self.extrapolate,
        )
        return np.vstack([found.time_s, found.lower_s, found.upper_s])

    def over(self, least: int, most: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Sizes with their times; both sides of a step are neighbouring bytes, so that it is drawn upright."""
        number = max(2, int(np.ceil(_STEPS * np.log2(most / least))) + 1)
        sizes = np.unique(np.rint(np.geomspace(least, most, number)).astype(np.int64))
        times = self._predict(sizes)
        with warnings.catch_warnings():
            # The first prediction has given the notes.
            warnings.simplefilter("ignore", NetsigWarning)
            steps = self._steps(sizes, times)
            sizes = np.union1d(sizes, steps)
            return sizes, self._predict(sizes)

    def _steps(self, sizes: NDArray[np.int64], times: NDArray[np.float64]) -> NDArray[np.int64]:
        """The sizes on both sides of each step, by bisection of all sections that may hold one."""
        logs: NDArray[np.float64] = np.log(times[0])
        found = np.flatnonzero(np.abs(np.diff(logs)) > _STEP + np.diff(np.log(sizes)))
        low, high = sizes[found], sizes[found + 1]
        at_low: NDArray[np.float64] = logs[found]
        at_high: NDArray[np.float64] = logs[found + 1]
        while np.any(high - low > 1):
            middle = (low + high) // 2
            at_middle = np.log(self._predict(middle)[0])
            is_above = np.abs(at_high - at_middle) >= np.abs(at_middle - at_low)
            low, at_low = np.where(is_above, middle, low), np.where(is_above, at_middle, at_low)
            high, at_high = np.where(is_above, high, middle), np.where(is_above, at_high, at_middle)
        return np.union1d(low, high)


def plot_profile(
    profile: Profile,
    cells: Table | None,
    collective: str,
    procs: NDArray[np.int64] | None,
    size: NDArray[np.int64] | None,
    algorithm: str,
    network: Network | str | None,
    extrapolate: bool,
    ax: Axes | None,
) -> Axes:
    """Draws predicted medians with their intervals, and measured cells on top; see ``Profile.plot``."""
    ax = _axis(ax)
    kept = None if cells is None else _kept(cells, collective=collective, algorithm=algorithm)
    if cells is not None and kept is not None and not kept.any():
        raise UsageError(f"data: no cell of {collective} {algorithm}; give data of it, or leave data out")
    if procs is None:
        if cells is None:
            raise UsageError("procs is missing; give process counts, or data that have them")
        procs = np.array(cells["procs"], dtype=np.int64)[kept]
    if size is None:
        size = np.array(_USUAL_SIZES if cells is None else np.array(cells["size_bytes"])[kept], dtype=np.int64)
    counts = [int(count) for count in np.unique(procs)]
    least, most = max(1, int(size.min())), max(1, int(size.max()))
    for count, colour in _colours(counts).items():
        curve = _Curve(profile, collective, count, algorithm, network, extrapolate)
        sizes, (times, lower, upper) = curve.over(least, most)
        ax.fill_between(sizes, lower, upper, color=colour, alpha=0.2, linewidth=0, zorder=1)
        ax.plot(sizes, times, "-", color=colour, label=f"{count} processes", zorder=2)
        if cells is not None and kept is not None:
            ax.plot(*_medians(cells, kept, count), "o", color=colour, markersize=4, zorder=3)
    _name_sizes(ax, collective)
    ax.set_title(f"{collective} {algorithm}, {profile.name}")
    ax.legend()
    return ax
