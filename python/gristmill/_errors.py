# SPDX-License-Identifier: Apache-2.0
"""The exceptions: one class per code of gristmill.h (GM_CODES), each also the builtin that a caller would
expect."""

from __future__ import annotations


class Error(Exception):
    """Base of every error of the library.

    Attributes
    ----------
    code : str
        The name of the code in gristmill.h, such as "GM_EPARAM".
    hint : str
        What to do about it; "" when there is nothing to add.
    """

    code = "GM_EINTERNAL"
    hint = ""

    def __init__(self, message: str = "", hint: str = ""):
        super().__init__(f"{message}\n{hint}" if hint else message)
        self.hint = hint

    def __reduce__(self):
        return _rebuild, (type(self), str(self), self.hint)


def _rebuild(cls, text, hint):
    error = cls(text)
    error.hint = hint
    return error


class Warning(UserWarning):  # noqa: A001  (gm.Warning, as in other database and data libraries)
    """What the library warns of: skipped rows, a fit that did not converge, a metric that is undefined."""


# name of the class, code, value of the code, the builtin it also is, text
_CODES = (
    ("UsageError", "GM_EUSAGE", 1, ValueError, "The call does not make sense."),
    (
        "ParamError",
        "GM_EPARAM",
        2,
        ValueError,
        "A parameter has an unknown name or a value that is not allowed.",
    ),
    ("StageError", "GM_ESTAGE", 3, ValueError, "A stage is unknown."),
    ("SyntaxError", "GM_ESYNTAX", 4, ValueError, "A YAML or JSON document does not parse."),
    ("NotFoundError", "GM_ENOENT", 5, FileNotFoundError, "There is no such file."),
    ("FormatError", "GM_EFORMAT", 6, ValueError, "The file or object is not a readable table."),
    ("SchemaError", "GM_ESCHEMA", 7, ValueError, "Columns are missing or have another type."),
    ("DataError", "GM_EDATA", 8, ValueError, "Values cannot be used as they are."),
    ("SqlError", "GM_ESQL", 9, ValueError, "The database refused the SQL."),
    ("ModelError", "GM_EMODEL", 10, ValueError, "The model file is damaged."),
    (
        "VersionError",
        "GM_EVERSION",
        11,
        ValueError,
        "The model was made by a version that this one cannot read.",
    ),
    ("FileError", "GM_EIO", 12, OSError, "Reading or writing a file failed."),
    ("OutOfMemoryError", "GM_ENOMEM", 13, MemoryError, "The system has no memory left."),
    ("MemoryLimitError", "GM_ELIMIT", 14, MemoryError, "The work does not fit into the memory limit."),
    ("LibraryError", "GM_ELIBRARY", 15, ImportError, "A needed library is missing."),
    ("CancelledError", "GM_ECANCEL", 16, KeyboardInterrupt, "The call was cancelled."),
    ("InternalError", "GM_EINTERNAL", 17, RuntimeError, "A defect of Gristmill; please report it."),
)

BY_VALUE: dict = {}
for _name, _code, _value, _builtin, _doc in _CODES:
    _class = type(_name, (Error, _builtin), {"__doc__": _doc, "code": _code, "__module__": "gristmill"})
    globals()[_name] = BY_VALUE[_value] = _class
Error.__module__ = Warning.__module__ = "gristmill"
NAMES = ("Error", "Warning", *(row[0] for row in _CODES))


def make(value: int, message: str, hint: str = "") -> Error:
    """The exception for a code of the library."""
    return BY_VALUE.get(value, Error)(message or f"code {value}", hint)
