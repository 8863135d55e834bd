"""netsig: predicts and improves MPI collective communication under network contention.

>>> import netsig
>>> data = netsig.read_data("alltoall.csv")           # doctest: +SKIP
>>> profile = netsig.fit(data)                         # doctest: +SKIP
>>> profile.predict("alltoall", 16, "64KiB").time_s    # doctest: +SKIP
0.74...

Measuring stays with the command line (``netsig measure``, ``netsig learn``), which starts MPI jobs;
this package reads what they wrote and needs no MPI.
"""

from ._errors import (
    ArgumentTypeError,
    DataError,
    FileError,
    FileMissingError,
    NetsigError,
    NetsigWarning,
    UsageError,
)
from ._netsig import (
    Dataset,
    Network,
    Predictions,
    Profile,
    Selection,
    Simulations,
    Table,
    __version__,
    compare,
    fit,
    import_data,
    models,
    read_data,
    report,
    scenarios,
    simulate,
)

__all__ = [
    "ArgumentTypeError",
    "DataError",
    "Dataset",
    "FileError",
    "FileMissingError",
    "NetsigError",
    "NetsigWarning",
    "Network",
    "Predictions",
    "Profile",
    "Selection",
    "Simulations",
    "Table",
    "UsageError",
    "__version__",
    "compare",
    "fit",
    "import_data",
    "models",
    "read_data",
    "report",
    "scenarios",
    "simulate",
]
