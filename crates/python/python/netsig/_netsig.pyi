"""Types of the compiled part of netsig; the docstrings are in the module."""

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeAlias, final, overload

import numpy as np
import pandas as pd  # These, Polars and matplotlib are optional: without them data frames and axes are of an unknown type.
import polars as pl
from matplotlib.axes import Axes
from numpy.typing import NDArray
from typing_extensions import Self, TypeVar

__version__: str

_Path: TypeAlias = str | PathLike[str]
_Named: TypeAlias = Network | _Path
_Settings: TypeAlias = Mapping[str, float | str]
_Statistic: TypeAlias = Literal["mean", "median"]
_NetworkModel: TypeAlias = Literal["loggp", "plogp", "plogpt", "fluid", "tcp"]
_Search: TypeAlias = Literal["pow2", "hill", "exhaustive"]

class _ArrayOfCases(Protocol):
    """An array, or a column of a data frame."""

    def __array__(self) -> NDArray[Any]: ...
    def __len__(self) -> int: ...

# Process counts or sizes: one of them, several, or either. Text such as "8" is one case and "8..64" are several.
_One: TypeAlias = int | np.integer[Any]
_Many: TypeAlias = _ArrayOfCases | Sequence[_One | Sequence[_One | Sequence[_One]]] | list[str] | tuple[str, ...]
_Cases: TypeAlias = _One | str | _Many
_Clusters: TypeAlias = Clusters | Sequence[int] | _Path
_Exchange: TypeAlias = _Many | _Path

# A column of data: a value, or several.
_Column: TypeAlias = _ArrayOfCases | Sequence[Any] | str | float | None

# The types of an answer's values: arrays, single values for a single case, or either after text.
_Floats = TypeVar("_Floats", covariant=True, default=NDArray[np.float64])
_Integers = TypeVar("_Integers", covariant=True, default=NDArray[np.int64])
_Texts = TypeVar("_Texts", covariant=True, default=NDArray[np.str_])
_EitherFloats: TypeAlias = float | NDArray[np.float64]
_EitherIntegers: TypeAlias = int | NDArray[np.int64]
_EitherTexts: TypeAlias = str | NDArray[np.str_]
_EitherPredictions: TypeAlias = Predictions[_EitherFloats, _EitherIntegers, _EitherTexts]

class _ArrowTable(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class _Rows:
    """Used as a pandas data frame: iteration and ``in`` take names of columns, ``len`` is the number of rows."""

    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __len__(self) -> int: ...
    def __getitem__(self, name: str, /) -> NDArray[Any]: ...
    def __contains__(self, name: object, /) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def keys(self) -> list[str]: ...
    def values(self) -> list[NDArray[Any]]: ...
    def items(self) -> list[tuple[str, NDArray[Any]]]: ...
    def to_pandas(self) -> pd.DataFrame: ...
    def to_polars(self) -> pl.DataFrame: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def _repr_html_(self) -> str: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: object, /) -> Self: ...

@final
class Table(_Rows):
    @property
    def columns(self) -> list[str]: ...
    def to_dicts(self) -> list[dict[str, Any]]: ...

@final
class Dataset(_Rows):
    columns: ClassVar[list[str]]
    @staticmethod
    def from_arrow(
        table: _ArrowTable, *, provenance: dict[str, str] | None = None, name: str = "table"
    ) -> Dataset: ...
    @staticmethod
    def from_arrays(
        *, provenance: dict[str, str] | None = None, name: str = "arrays", **columns: _Column
    ) -> Dataset: ...
    @staticmethod
    def from_pandas(
        frame: pd.DataFrame,
        *,
        provenance: dict[str, str] | None = None,
        name: str = "frame",
        **constants: _Column,
    ) -> Dataset: ...
    @staticmethod
    def from_polars(
        frame: pl.DataFrame,
        *,
        provenance: dict[str, str] | None = None,
        name: str = "frame",
        **constants: _Column,
    ) -> Dataset: ...
    def cells(self) -> Table: ...
    def plot(
        self,
        collective: str | None = None,
        *,
        algorithm: str | None = None,
        procs: _Cases | None = None,
        ax: Axes | None = None,
    ) -> Axes: ...
    def write(self, path: _Path) -> None: ...
    @property
    def provenance(self) -> dict[str, str]: ...
    @property
    def name(self) -> str: ...

@final
class Clusters:
    def __new__(cls, sizes: Sequence[int]) -> Clusters: ...
    @staticmethod
    def read(path: _Path) -> Clusters: ...
    @staticmethod
    def parse(text: str, *, name: str = "clusters") -> Clusters: ...
    def write(self, path: _Path) -> None: ...
    def to_toml(self) -> str: ...
    @property
    def hosts(self) -> dict[str, list[str]]: ...
    def table(self) -> Table: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[str]: ...
    def _repr_html_(self) -> str: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: object, /) -> Self: ...

@final
class EventSimulation:
    __hash__: ClassVar[None]  # type: ignore[assignment]
    @property
    def algorithm(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def procs(self) -> int: ...
    @property
    def time_s(self) -> float: ...
    @property
    def messages(self) -> int: ...
    def table(self) -> Table: ...
    def links(self) -> Table: ...
    def losses(self) -> Table: ...
    def to_goal(self) -> str: ...
    def gantt(self, path: _Path | None = None) -> str: ...
    def timeline(self, path: _Path | None = None) -> str: ...
    def _repr_svg_(self) -> str | None: ...
    def _repr_html_(self) -> str | None: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: object, /) -> Self: ...

@final
class Network:
    def __new__(
        cls,
        named: _Path,
        *,
        rate: str | None = None,
        uplink_rate: str | None = None,
        port_buffer: int | str | None = None,
    ) -> Network: ...
    @property
    def name(self) -> str: ...
    @property
    def hosts(self) -> int: ...
    def to_toml(self) -> str: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: object, /) -> Self: ...

@final
class Predictions(_Rows, Generic[_Floats, _Integers, _Texts]):
    @property
    def collective(self) -> str: ...
    @property
    def algorithm(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def procs(self) -> _Integers: ...
    @property
    def size_bytes(self) -> _Integers: ...
    @property
    def time_s(self) -> _Floats: ...
    @property
    def lower_s(self) -> _Floats: ...
    @property
    def upper_s(self) -> _Floats: ...
    @property
    def standing(self) -> _Texts: ...
    @property
    def segment_bytes(self) -> _Integers: ...
    def table(self) -> Table: ...

@final
class Selection(_Rows, Generic[_Floats, _Texts]):
    @property
    def collective(self) -> str: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def best(self) -> _Texts: ...
    @property
    def time_s(self) -> _Floats: ...
    @property
    def gain(self) -> _Floats: ...
    @property
    def setting(self) -> _Texts: ...
    def table(self) -> Table: ...

@final
class Simulations(_Rows, Generic[_Floats, _Integers]):
    @property
    def algorithm(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def time_s(self) -> _Floats: ...
    @property
    def messages(self) -> _Integers: ...
    @property
    def sent_bytes(self) -> _Integers: ...
    @property
    def losses(self) -> _Integers: ...
    def table(self) -> Table: ...

@final
class Profile:
    @staticmethod
    def read(path: _Path) -> Profile: ...
    @staticmethod
    def parse(text: str, *, name: str = "profile") -> Profile: ...
    def write(self, path: _Path) -> None: ...
    def to_toml(self) -> str: ...
    def to_dict(self) -> dict[str, Any]: ...
    def with_clusters(self, clusters: _Clusters) -> Profile: ...
    def tune(
        self,
        target: str,
        *,
        path: _Path | None = None,
        procs: _Cases | None = None,
        size: _Cases | None = None,
        library: _Path | None = None,
        commutative: bool = False,
        network: _Named | None = None,
        extrapolate: bool = False,
    ) -> str: ...
    def plot(
        self,
        collective: str,
        *,
        procs: _Cases | None = None,
        size: _Cases | None = None,
        algorithm: str = "library",
        data: Dataset | None = None,
        network: _Named | None = None,
        extrapolate: bool = False,
        ax: Axes | None = None,
    ) -> Axes: ...
    @property
    def name(self) -> str: ...
    @property
    def provenance(self) -> dict[str, str]: ...
    @property
    def alpha(self) -> float: ...
    @property
    def beta(self) -> float: ...
    def _repr_html_(self) -> str: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: object, /) -> Self: ...
    def algorithms(self, collective: str) -> list[str]: ...
    def choices(self) -> Table: ...
    def parameters(self) -> Table: ...
    def verdict(
        self, data: Dataset | None = None, *, procs: int | None = None, network: _Named | None = None
    ) -> Table: ...
    def penalties(
        self,
        data: Dataset,
        *,
        show: Literal["summary", "cells"] = "summary",
        statistic: _Statistic = "median",
        network: _Named | None = None,
        force: bool = False,
    ) -> Table: ...
    @overload
    def predict(
        self,
        collective: str,
        procs: _One,
        size: _One,
        *,
        algorithm: str = "library",
        model: str | None = None,
        all_models: Literal[False] = False,
        statistic: _Statistic = "median",
        quantile: float | None = None,
        settings: _Settings | None = None,
        segment: int | str | None = None,
        network: _Named | None = None,
        clusters: _Clusters | None = None,
        exchange: None = None,
        ppn: int | None = None,
        extrapolate: bool = False,
    ) -> Predictions[float, int, str]: ...
    @overload
    def predict(
        self,
        collective: str,
        procs: _Many,
        size: _Cases,
        *,
        algorithm: str = "library",
        model: str | None = None,
        all_models: Literal[False] = False,
        statistic: _Statistic = "median",
        quantile: float | None = None,
        settings: _Settings | None = None,
        segment: int | str | None = None,
        network: _Named | None = None,
        clusters: _Clusters | None = None,
        exchange: None = None,
        ppn: int | None = None,
        extrapolate: bool = False,
    ) -> Predictions: ...
    @overload
    def predict(
        self,
        collective: str,
        procs: _Cases,
        size: _Many,
        *,
        algorithm: str = "library",
        model: str | None = None,
        all_models: Literal[False] = False,
        statistic: _Statistic = "median",
        quantile: float | None = None,
        settings: _Settings | None = None,
        segment: int | str | None = None,
        network: _Named | None = None,
        clusters: _Clusters | None = None,
        exchange: None = None,
        ppn: int | None = None,
        extrapolate: bool = False,
    ) -> Predictions: ...
    @overload
    def predict(
        self,
        collective: str,
        procs: _Cases,
        size: _Cases,
        *,
        algorithm: str = "library",
        model: str | None = None,
        all_models: Literal[False] = False,
        statistic: _Statistic = "median",
        quantile: float | None = None,
        settings: _Settings | None = None,
        segment: int | str | None = None,
        network: _Named | None = None,
        clusters: _Clusters | None = None,
        exchange: None = None,
        ppn: int | None = None,
        extrapolate: bool = False,
    ) -> _EitherPredictions: ...
    @overload
    def predict(
        self,
        collective: str,
        procs: _Cases,
        size: _Cases,
        *,
        algorithm: None,
        model: str | None = None,
        all_models: Literal[False] = False,
        statistic: _Statistic = "median",
        quantile: float | None = None,
        settings: _Settings | None = None,
        segment: int | str | None = None,
        network: _Named | None = None,
        clusters: _Clusters | None = None,
        exchange: None = None,
        ppn: int | None = None,
        extrapolate: bool = False,
    ) -> dict[str, _EitherPredictions]: ...
    @overload
    def predict(
        self,
        collective: str,
        procs: _Cases,
        size: _Cases,
        *,
        algorithm: str | None = "library",
        model: None = None,
        all_models: Literal[True],
        statistic: _Statistic = "median",
        quantile: float | None = None,
        settings: _Settings | None = None,
        segment: int | str | None = None,
        network: _Named | None = None,
        clusters: _Clusters | None = None,
        exchange: None = None,
        ppn: int | None = None,
        extrapolate: bool = False,
    ) -> dict[tuple[str, str], _EitherPredictions]: ...
    @overload
    def predict(
        self,
        collective: str,
        procs: None = None,
        size: None = None,
        *,
        algorithm: str = "library",
        model: str | None = None,
        all_models: Literal[False] = False,
        statistic: _Statistic = "median",
        quantile: float | None = None,
        settings: _Settings | None = None,
        segment: int | str | None = None,
        network: _Named | None = None,
        clusters: _Clusters | None = None,
        exchange: _Exchange,
        ppn: int | None = None,
        extrapolate: bool = False,
    ) -> Predictions[float, int, str]: ...
    @overload
    def predict(
        self,
        collective: str,
        procs: None = None,
        size: None = None,
        *,
        algorithm: None,
        model: str | None = None,
        all_models: Literal[False] = False,
        statistic: _Statistic = "median",
        quantile: float | None = None,
        settings: _Settings | None = None,
        segment: int | str | None = None,
        network: _Named | None = None,
        clusters: _Clusters | None = None,
        exchange: _Exchange,
        ppn: int | None = None,
        extrapolate: bool = False,
    ) -> dict[str, Predictions[float, int, str]]: ...
    @overload
    def predict(
        self,
        collective: str,
        procs: None = None,
        size: None = None,
        *,
        algorithm: str | None = "library",
        model: None = None,
        all_models: Literal[True],
        statistic: _Statistic = "median",
        quantile: float | None = None,
        settings: _Settings | None = None,
        segment: int | str | None = None,
        network: _Named | None = None,
        clusters: _Clusters | None = None,
        exchange: _Exchange,
        ppn: int | None = None,
        extrapolate: bool = False,
    ) -> dict[tuple[str, str], Predictions[float, int, str]]: ...
    @overload
    def select(
        self,
        collective: str,
        procs: _One,
        size: _One,
        *,
        statistic: _Statistic = "median",
        binomial: Literal["printed", "exact"] = "printed",
        segments: _Search = "hill",
        datatype: int | str | None = None,
        mpi: Literal["openmpi", "mpich"] | None = None,
        network: _Named | None = None,
        clusters: _Clusters | None = None,
        exchange: None = None,
        ppn: int | None = None,
        extrapolate: bool = False,
    ) -> Selection[float, str]: ...
    @overload
    def select(
        self,
        collective: str,
        procs: _Many,
        size: _Cases,
        *,
        statistic: _Statistic = "median",
        binomial: Literal["printed", "exact"] = "printed",
        segments: _Search = "hill",
        datatype: int | str | None = None,
        mpi: Literal["openmpi", "mpich"] | None = None,
        network: _Named | None = None,
        clusters: _Clusters | None = None,
        exchange: None = None,
        ppn: int | None = None,
        extrapolate: bool = False,
    ) -> Selection: ...
    @overload
    def select(
        self,
        collective: str,
        procs: _Cases,
        size: _Many,
        *,
        statistic: _Statistic = "median",
        binomial: Literal["printed", "exact"] = "printed",
        segments: _Search = "hill",
        datatype: int | str | None = None,
        mpi: Literal["openmpi", "mpich"] | None = None,
        network: _Named | None = None,
        clusters: _Clusters | None = None,
        exchange: None = None,
        ppn: int | None = None,
        extrapolate: bool = False,
    ) -> Selection: ...
    @overload
    def select(
        self,
        collective: str,
        procs: _Cases,
        size: _Cases,
        *,
        statistic: _Statistic = "median",
        binomial: Literal["printed", "exact"] = "printed",
        segments: _Search = "hill",
        datatype: int | str | None = None,
        mpi: Literal["openmpi", "mpich"] | None = None,
        network: _Named | None = None,
        clusters: _Clusters | None = None,
        exchange: None = None,
        ppn: int | None = None,
        extrapolate: bool = False,
    ) -> Selection[_EitherFloats, _EitherTexts]: ...
    @overload
    def select(
        self,
        collective: str,
        procs: None = None,
        size: None = None,
        *,
        statistic: _Statistic = "median",
        binomial: Literal["printed", "exact"] = "printed",
        segments: _Search = "hill",
        datatype: int | str | None = None,
        mpi: Literal["openmpi", "mpich"] | None = None,
        network: _Named | None = None,
        clusters: _Clusters | None = None,
        exchange: _Exchange,
        ppn: int | None = None,
        extrapolate: bool = False,
    ) -> Selection[float, str]: ...
    def cross_overs(
        self,
        collective: str,
        procs: _Cases,
        size: _Cases,
        *,
        statistic: _Statistic = "median",
        binomial: Literal["printed", "exact"] = "printed",
        segments: _Search = "hill",
        datatype: int | str | None = None,
        network: _Named | None = None,
        clusters: _Clusters | None = None,
        ppn: int | None = None,
        extrapolate: bool = False,
    ) -> Table: ...

def read_data(*paths: _Path, force: bool = False) -> Dataset: ...
def import_data(
    program: str | None,
    *paths: _Path,
    procs: int | list[int] | None = None,
    algorithm: str = "library",
    collective: str | None = None,
) -> Dataset: ...
def fit(
    data: Dataset,
    *,
    model: str = "auto",
    threshold: int | str | None = "auto",
    covariance: str = "auto",
    statistic: _Statistic = "mean",
    confidence: float = 0.9,
    plogp: Profile | None = None,
    network: _Named | None = None,
    keep_unsaturated: bool = False,
) -> Profile: ...
def compare(
    data: Dataset,
    *,
    train: str | None = None,
    by_procs: bool = False,
    covariance: str = "auto",
    statistic: _Statistic = "mean",
    plogp: Profile | None = None,
    network: _Named | None = None,
) -> Table: ...
def report(
    *sources: Dataset | Profile,
    path: _Path | None = None,
    procs: int | Sequence[int] | str | None = None,
    repetitions: int = 6000,
) -> str: ...
def bounds(
    exchange: _Exchange,
    alpha: float | str,
    beta: float | str,
    *,
    synchronous: bool = False,
    count_zero_messages: bool = False,
    gamma: float | None = None,
    delta: float | str = 0.0,
    threshold: int | str = 0,
) -> Table: ...
def discover(network: _Named) -> Clusters: ...
def plan(
    prediction: str,
    budget: float | str,
    *,
    path: _Path | None = None,
    size: _Cases | None = None,
    max_procs: int | None = None,
    hosts: int | None = None,
    reduction: str = "sum:double",
    profile: Profile | None = None,
) -> str: ...
def evaluate(
    model: str,
    *,
    profile: Profile | None = None,
    size: _Cases | None = None,
    settings: _Settings | None = None,
) -> Table: ...
def models(name: str | None = None, *, collective: str | None = None) -> Table: ...
def scenarios() -> list[str]: ...
@overload
def simulate(
    network: _Named | None,
    collective: str,
    algorithm: str,
    procs: _One,
    size: _One,
    *,
    model: _NetworkModel | None = None,
    profile: Profile | None = None,
    settings: _Settings | None = None,
    method: Literal["auto", "closed-form", "event"] = "auto",
    seed: int | None = None,
    nodes: str | None = None,
    placement: str | None = None,
    ppn: int | None = None,
    rto_mode: str | None = None,
    sharing: str | None = None,
    negligible: str | None = None,
    extrapolate: bool = False,
) -> Simulations[float, int]: ...
@overload
def simulate(
    network: _Named | None,
    collective: str,
    algorithm: str,
    procs: _Many,
    size: _Cases,
    *,
    model: _NetworkModel | None = None,
    profile: Profile | None = None,
    settings: _Settings | None = None,
    method: Literal["auto", "closed-form", "event"] = "auto",
    seed: int | None = None,
    nodes: str | None = None,
    placement: str | None = None,
    ppn: int | None = None,
    rto_mode: str | None = None,
    sharing: str | None = None,
    negligible: str | None = None,
    extrapolate: bool = False,
) -> Simulations: ...
@overload
def simulate(
    network: _Named | None,
    collective: str,
    algorithm: str,
    procs: _Cases,
    size: _Many,
    *,
    model: _NetworkModel | None = None,
    profile: Profile | None = None,
    settings: _Settings | None = None,
    method: Literal["auto", "closed-form", "event"] = "auto",
    seed: int | None = None,
    nodes: str | None = None,
    placement: str | None = None,
    ppn: int | None = None,
    rto_mode: str | None = None,
    sharing: str | None = None,
    negligible: str | None = None,
    extrapolate: bool = False,
) -> Simulations: ...
@overload
def simulate(
    network: _Named | None,
    collective: str,
    algorithm: str,
    procs: _Cases,
    size: _Cases,
    *,
    model: _NetworkModel | None = None,
    profile: Profile | None = None,
    settings: _Settings | None = None,
    method: Literal["auto", "closed-form", "event"] = "auto",
    seed: int | None = None,
    nodes: str | None = None,
    placement: str | None = None,
    ppn: int | None = None,
    rto_mode: str | None = None,
    sharing: str | None = None,
    negligible: str | None = None,
    extrapolate: bool = False,
) -> Simulations[_EitherFloats, _EitherIntegers]: ...
def simulate_events(
    network: _Named | None,
    collective: str,
    algorithm: str,
    procs: _One | str,
    size: _One | str,
    *,
    model: _NetworkModel | None = None,
    profile: Profile | None = None,
    settings: _Settings | None = None,
    seed: int | None = None,
    nodes: str | None = None,
    placement: str | None = None,
    ppn: int | None = None,
    rto_mode: str | None = None,
    sharing: str | None = None,
    negligible: str | None = None,
    extrapolate: bool = False,
) -> EventSimulation: ...
def simulate_goal(
    program: _Path,
    network: _Named | None = None,
    *,
    model: _NetworkModel | None = None,
    profile: Profile | None = None,
    settings: _Settings | None = None,
    seed: int | None = None,
    nodes: str | None = None,
    placement: str | None = None,
    ppn: int | None = None,
    rto_mode: str | None = None,
    sharing: str | None = None,
    negligible: str | None = None,
    extrapolate: bool = False,
) -> EventSimulation: ...
def _in_python(text: str) -> str: ...
def _unpickle(kind: str, format: int, /, *state: object) -> Any: ...
