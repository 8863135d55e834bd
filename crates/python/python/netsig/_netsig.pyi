"""Types of the compiled part of netsig; the docstrings are in the module."""

from os import PathLike
from typing import Any, ClassVar, Literal, Protocol, TypeAlias, final, overload

from numpy.typing import ArrayLike

__version__: str

_Path: TypeAlias = str | PathLike[str]
_Named: TypeAlias = Network | _Path
_Settings: TypeAlias = dict[str, float | str]
_Statistic: TypeAlias = Literal["mean", "median"]
_Search: TypeAlias = Literal["pow2", "hill", "exhaustive"]

class _ArrowTable(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class _Rows:
    def to_pandas(self) -> Any: ...
    def to_polars(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Table(_Rows):
    @property
    def columns(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, name: str, /) -> list[Any]: ...
    def to_dicts(self) -> list[dict[str, Any]]: ...

@final
class Dataset(_Rows):
    columns: ClassVar[list[str]]
    @staticmethod
    def from_arrow(
        table: _ArrowTable, *, provenance: dict[str, str] | None = None, name: str = "table"
    ) -> Dataset: ...
    def write(self, path: _Path) -> None: ...
    @property
    def provenance(self) -> dict[str, str]: ...
    @property
    def name(self) -> str: ...
    def __len__(self) -> int: ...

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

@final
class Predictions(_Rows):
    @property
    def collective(self) -> str: ...
    @property
    def algorithm(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def procs(self) -> Any: ...
    @property
    def size_bytes(self) -> Any: ...
    @property
    def time_s(self) -> Any: ...
    @property
    def lower_s(self) -> Any: ...
    @property
    def upper_s(self) -> Any: ...
    @property
    def standing(self) -> Any: ...
    @property
    def segment_bytes(self) -> Any: ...
    def __len__(self) -> int: ...
    def table(self) -> Table: ...

@final
class Selection(_Rows):
    @property
    def collective(self) -> str: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def best(self) -> Any: ...
    @property
    def time_s(self) -> Any: ...
    @property
    def gain(self) -> Any: ...
    @property
    def setting(self) -> Any: ...
    def table(self) -> Table: ...

@final
class Simulations(_Rows):
    @property
    def algorithm(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def time_s(self) -> Any: ...
    @property
    def messages(self) -> Any: ...
    @property
    def sent_bytes(self) -> Any: ...
    @property
    def losses(self) -> Any: ...
    def __len__(self) -> int: ...
    def table(self) -> Table: ...

@final
class Profile:
    @staticmethod
    def read(path: _Path) -> Profile: ...
    @staticmethod
    def parse(text: str, *, name: str = "profile") -> Profile: ...
    def write(self, path: _Path) -> None: ...
    def to_toml(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def provenance(self) -> dict[str, str]: ...
    @property
    def alpha(self) -> float: ...
    @property
    def beta(self) -> float: ...
    def algorithms(self, collective: str) -> list[str]: ...
    def choices(self) -> Table: ...
    def parameters(self) -> Table: ...
    def verdict(
        self, data: Dataset | None = None, *, procs: int | None = None, network: _Named | None = None
    ) -> Table: ...
    @overload
    def predict(
        self,
        collective: str,
        procs: ArrayLike,
        size: ArrayLike,
        *,
        algorithm: str = "library",
        model: str | None = None,
        statistic: _Statistic = "median",
        quantile: float | None = None,
        settings: _Settings | None = None,
        segment: int | str | None = None,
        network: _Named | None = None,
        ppn: int | None = None,
        extrapolate: bool = False,
    ) -> Predictions: ...
    @overload
    def predict(
        self,
        collective: str,
        procs: ArrayLike,
        size: ArrayLike,
        *,
        algorithm: None,
        model: str | None = None,
        statistic: _Statistic = "median",
        quantile: float | None = None,
        settings: _Settings | None = None,
        segment: int | str | None = None,
        network: _Named | None = None,
        ppn: int | None = None,
        extrapolate: bool = False,
    ) -> dict[str, Predictions]: ...
    def select(
        self,
        collective: str,
        procs: ArrayLike,
        size: ArrayLike,
        *,
        statistic: _Statistic = "median",
        binomial: Literal["printed", "exact"] = "printed",
        segments: _Search = "hill",
        datatype: int | str | None = None,
        mpi: Literal["openmpi", "mpich"] | None = None,
        network: _Named | None = None,
        ppn: int | None = None,
        extrapolate: bool = False,
    ) -> Selection: ...
    def cross_overs(
        self,
        collective: str,
        procs: ArrayLike,
        size: ArrayLike,
        *,
        statistic: _Statistic = "median",
        binomial: Literal["printed", "exact"] = "printed",
        segments: _Search = "hill",
        datatype: int | str | None = None,
        network: _Named | None = None,
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
    network: _Named | None = None,
) -> Table: ...
def models() -> Table: ...
def scenarios() -> list[str]: ...
def simulate(
    network: _Named | None,
    collective: str,
    algorithm: str,
    procs: ArrayLike,
    size: ArrayLike,
    *,
    model: Literal["loggp", "plogp", "plogpt", "fluid", "tcp"] | None = None,
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
