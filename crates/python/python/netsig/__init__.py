"""netsig: predicts and improves MPI collective communication under network contention.

>>> import netsig
>>> data = netsig.read_data("alltoall.csv")           # doctest: +SKIP
>>> profile = netsig.fit(data)                         # doctest: +SKIP
>>> profile.predict("alltoall", 16, "64KiB").time_s    # doctest: +SKIP
0.74...

Measuring stays with the command line, which :func:`measure` and :func:`learn` start; all else needs
neither it nor MPI.
"""

from ._command import learn, measure
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
    Clusters,
    Dataset,
    EventSimulation,
    Network,
    Predictions,
    Profile,
    Selection,
    Simulations,
    Table,
    __version__,
    bounds,
    compare,
    discover,
    evaluate,
    fit,
    import_data,
    models,
    plan,
    read_data,
    report,
    scenarios,
    simulate,
    simulate_events,
    simulate_goal,
)

__all__ = [
    "ArgumentTypeError",
    "Clusters",
    "DataError",
    "Dataset",
    "EventSimulation",
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
    "bounds",
    "compare",
    "discover",
    "evaluate",
    "fit",
    "import_data",
    "learn",
    "measure",
    "models",
    "plan",
    "read_data",
    "report",
    "scenarios",
    "simulate",
    "simulate_events",
    "simulate_goal",
]
