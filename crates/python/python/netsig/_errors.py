"""The exceptions and the warning of netsig.

The text of an exception is the line that the command line prints without ``netsig: ``: what is wrong,
where, and what to do. Options of the command line are keywords of Python in it: ``extrapolate=True`` in
place of ``--extrapolate``. Commands that start MPI jobs, such as ``netsig learn``, remain commands.
"""


class NetsigError(Exception):
    """An error of netsig; ``exit_code`` is that of the command line."""

    exit_code = 1


class UsageError(NetsigError, ValueError):
    """Arguments, or files named in them, cannot be used."""

    exit_code = 2


class ArgumentTypeError(UsageError, TypeError):
    """An argument is of another type, such as a path in place of a dataset."""


class FileError(UsageError, OSError):
    """A file cannot be read or written."""


class FileMissingError(FileError, FileNotFoundError):
    """A file does not exist."""


class DataError(NetsigError):
    """The data cannot support the answer."""

    exit_code = 3


class NetsigWarning(UserWarning):
    """A note or warning that comes with an answer."""
