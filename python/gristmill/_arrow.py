# SPDX-License-Identifier: Apache-2.0
"""The Arrow C data interface through ctypes: capsules in and out, columns read as lists or NumPy arrays, and
arrays built from Python lists.

Who releases what. Streams that leave (capsules) have the library's release functions and a destructor in C
(gm_capsule_free), so they may die on any thread and at interpreter exit. Streams that are built here have
release functions in Python; they never leave: the library copies their rows before `build` returns (see
Table.from_lists).
"""

from __future__ import annotations

import ctypes
import struct
import sys
from array import array
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_void_p, py_object

from . import _errors


class Schema(Structure):
    pass


class Array(Structure):
    pass


class Stream(Structure):
    pass


_SCHEMA_RELEASE = CFUNCTYPE(None, POINTER(Schema))
_ARRAY_RELEASE = CFUNCTYPE(None, POINTER(Array))
_STREAM_RELEASE = CFUNCTYPE(None, POINTER(Stream))
_GET_SCHEMA = CFUNCTYPE(c_int, POINTER(Stream), POINTER(Schema))
_GET_NEXT = CFUNCTYPE(c_int, POINTER(Stream), POINTER(Array))
_GET_ERROR = CFUNCTYPE(c_void_p, POINTER(Stream))

Schema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_void_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(Schema))),
    ("dictionary", POINTER(Schema)),
    ("release", _SCHEMA_RELEASE),
    ("private_data", c_void_p),
]
Array._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(Array))),
    ("dictionary", POINTER(Array)),
    ("release", _ARRAY_RELEASE),
    ("private_data", c_void_p),
]
Stream._fields_ = [
    ("get_schema", _GET_SCHEMA),
    ("get_next", _GET_NEXT),
    ("get_last_error", _GET_ERROR),
    ("release", _STREAM_RELEASE),
    ("private_data", c_void_p),
]

# ---- capsules ------------------------------------------------------------------------------------

_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = c_void_p, [py_object, c_char_p]
_capsule_new = ctypes.pythonapi.PyCapsule_New
_capsule_new.restype, _capsule_new.argtypes = py_object, [c_void_p, c_void_p, c_void_p]

# PyCapsule keeps the pointer to the name: these must live as long as the process, also after this module is
# gone.
_STREAM_NAME = ctypes.create_string_buffer(b"arrow_array_stream")
ctypes.pythonapi.Py_IncRef(py_object(_STREAM_NAME))


def stream_pointer(capsule) -> int:
    return _capsule_pointer(capsule, b"arrow_array_stream")


def array_pointers(schema_capsule, array_capsule):
    return _capsule_pointer(schema_capsule, b"arrow_schema"), _capsule_pointer(array_capsule, b"arrow_array")


def stream_capsule(pointer: int, library):
    """A capsule that owns the stream: its destructor is C, so it may run on any thread and at interpreter
    exit."""
    destructor = ctypes.cast(library.gm_capsule_free, c_void_p)
    return _capsule_new(pointer, ctypes.addressof(_STREAM_NAME), destructor)


# ---- reading -------------------------------------------------------------------------------------


def batches(stream):
    """(schema, array) of each batch of a Stream; a batch is released when the next is asked for."""
    schema = Schema()
    _check(stream, stream.get_schema(ctypes.byref(stream), ctypes.byref(schema)))
    try:
        while True:
            batch = Array()
            _check(stream, stream.get_next(ctypes.byref(stream), ctypes.byref(batch)))
            if not batch.release:
                return
            try:
                yield schema, batch
            finally:
                if batch.release:
                    batch.release(ctypes.byref(batch))
    finally:
        if schema.release:
            schema.release(ctypes.byref(schema))


def untyped(stream) -> tuple:
    """Names of the columns of Arrow's null type."""
    schema = Schema()
    _check(stream, stream.get_schema(ctypes.byref(stream), ctypes.byref(schema)))
    try:
        children = [schema.children[k].contents for k in range(schema.n_children)]
        return tuple(c.name.decode("utf-8", "replace") for c in children if c.format == b"n")
    finally:
        if schema.release:
            schema.release(ctypes.byref(schema))


def _check(stream, code):
    if code:
        text = stream.get_last_error(ctypes.byref(stream))
        message = (
            ctypes.string_at(text).decode("utf-8", "replace") if text else f"Arrow stream failed ({code})"
        )
        raise _errors.SqlError(message)


_PRIMITIVE = {
    b"c": "b", b"C": "B", b"s": "h", b"S": "H", b"i": "i", b"I": "I", b"l": "q", b"L": "Q", b"f": "f",
    b"g": "d",
}  # fmt: skip
_NUMPY = {
    b"c": "i1", b"C": "u1", b"s": "i2", b"S": "u2", b"i": "i4", b"I": "u4", b"l": "i8", b"L": "u8",
    b"e": "f2", b"f": "f4", b"g": "f8",
}  # fmt: skip
_PER_SECOND = {"s": 1, "m": 1_000, "u": 1_000_000, "n": 1_000_000_000}


def _ints(pointer, code, start, count):
    if not count:
        return ()
    size = struct.calcsize(code)
    return (
        memoryview((ctypes.c_char * (size * count)).from_address(pointer + size * start)).cast("B").cast(code)
    )


def _valid(a, start, count):
    """A list of bools, or None when nothing is null."""
    if a.n_buffers == 0 or a.null_count == 0 or not a.buffers[0]:
        return None
    return _bits(a.buffers[0], start, count)


def _bits(pointer, start, count):
    first, last = start // 8, (start + count + 7) // 8
    raw = ctypes.string_at(pointer + first, last - first)
    skip = start - first * 8
    return [bool(raw[(i + skip) >> 3] >> ((i + skip) & 7) & 1) for i in range(count)]


def _blobs(a, start, count, wide, text):
    offsets = _ints(a.buffers[1], "q" if wide else "i", start, count + 1)
    if not count:
        return []
    base = a.buffers[2] or 0
    first = offsets[0]
    raw = ctypes.string_at(base + first, offsets[count] - first) if base and offsets[count] > first else b""
    parts = [raw[offsets[i] - first : offsets[i + 1] - first] for i in range(count)]
    return [p.decode("utf-8", "replace") for p in parts] if text else parts


def _views(a, start, count, text):
    out = []
    for i in range(start, start + count):
        at = a.buffers[1] + 16 * i
        (size,) = struct.unpack("=i", ctypes.string_at(at, 4))
        if size <= 12:
            raw = ctypes.string_at(at + 4, size)
        else:
            index, offset = struct.unpack("=ii", ctypes.string_at(at + 8, 8))
            raw = ctypes.string_at(a.buffers[2 + index] + offset, size)
        out.append(raw.decode("utf-8", "replace") if text else raw)
    return out


def to_list(s, a, start=None, count=None) -> list:
    """A column as a list of Python values, None for nulls."""
    count = a.length if count is None else count
    start = a.offset if start is None else start
    valid = _valid(a, start, count)
    values = _values(s, a, start, count)
    if valid is not None:
        values = [v if ok else None for v, ok in zip(values, valid, strict=False)]
    return values


def _values(s, a, start, count):
    f = s.format
    if s.dictionary:
        levels = to_list(s.dictionary.contents, a.dictionary.contents)
        codes = _ints(a.buffers[1], _PRIMITIVE[f], start, count)
        return [levels[c] if 0 <= c < len(levels) else None for c in codes]
    if f in _PRIMITIVE:
        return list(_ints(a.buffers[1], _PRIMITIVE[f], start, count))
    if f in (b"u", b"U", b"z", b"Z"):
        return _blobs(a, start, count, f in (b"U", b"Z"), f in (b"u", b"U"))
    if f in (b"vu", b"vz"):
        return _views(a, start, count, f == b"vu")
    if f == b"b":
        return _bits(a.buffers[1], start, count)
    if f == b"n":
        return [None] * count
    if f == b"e":
        raw = ctypes.string_at(a.buffers[1] + 2 * start, 2 * count)
        return list(struct.unpack(f"={count}e", raw))
    return _nested_or_time(s, a, f.decode(), start, count)


def _nested_or_time(s, a, f, start, count):
    if f in ("+l", "+L", "+m"):
        offsets = list(_ints(a.buffers[1], "q" if f == "+L" else "i", start, count + 1)) or [0]
        child = a.children[0].contents
        items = to_list(s.children[0].contents, child, child.offset + offsets[0], offsets[-1] - offsets[0])
        rows = [items[offsets[i] - offsets[0] : offsets[i + 1] - offsets[0]] for i in range(count)]
        return [dict((e["key"], e["value"]) for e in row) for row in rows] if f == "+m" else rows
    if f.startswith("+w:"):
        n, child = int(f[3:]), a.children[0].contents
        items = to_list(s.children[0].contents, child, child.offset + start * n, count * n)
        return [items[i * n : (i + 1) * n] for i in range(count)]
    if f == "+s":
        names = [s.children[k].contents.name.decode("utf-8", "replace") for k in range(s.n_children)]
        columns = []
        for k in range(s.n_children):
            child = a.children[k].contents
            columns.append(to_list(s.children[k].contents, child, child.offset + start, count))
        return (
            [dict(zip(names, row, strict=False)) for row in zip(*columns, strict=False)]
            if columns
            else [{}] * count
        )
    if f.startswith("d:"):
        return _decimals(a, f, start, count)
    if f.startswith("w:"):
        n = int(f[2:])
        return [ctypes.string_at(a.buffers[1] + n * i, n) for i in range(start, start + count)]
    return _times(a, f, start, count)


def _decimals(a, f, start, count):
    from decimal import Decimal

    parts = f[2:].split(",")
    scale, size = int(parts[1]), int(parts[2]) // 8 if len(parts) > 2 else 16
    out = []
    for i in range(start, start + count):
        value = int.from_bytes(ctypes.string_at(a.buffers[1] + size * i, size), sys.byteorder, signed=True)
        out.append(value if scale == 0 else Decimal(value).scaleb(-scale))
    return out


def _times(a, f, start, count):
    import datetime as dt

    kind, unit = f[:2], f[2:3]
    if f == "tdD":
        days = _ints(a.buffers[1], "i", start, count)
        return [_guarded(lambda d: dt.date(1970, 1, 1) + dt.timedelta(d), d) for d in days]
    if f == "tiM":
        return list(_ints(a.buffers[1], "i", start, count))
    if f == "tin":
        raw = [ctypes.string_at(a.buffers[1] + 16 * i, 16) for i in range(start, start + count)]
        found = [struct.unpack("=iiq", r) for r in raw]
        return [dt.timedelta(days=m * 30 + d, microseconds=n / 1000) for m, d, n in found]
    per = _PER_SECOND.get(unit, 1000)
    wide = kind in ("ts", "tD") or unit in ("u", "n") or f == "tdm"
    ticks = _ints(a.buffers[1], "q" if wide else "i", start, count)
    if kind == "ts":
        zone = dt.timezone.utc if f[4:] else None
        epoch = dt.datetime(1970, 1, 1, tzinfo=zone)

        def moment(t):
            return epoch + dt.timedelta(seconds=t // per, microseconds=t % per * 1_000_000 // per)

        return [_guarded(moment, t) for t in ticks]
    if kind == "tD":
        return [dt.timedelta(seconds=t // per, microseconds=t % per * 1_000_000 // per) for t in ticks]
    if kind == "tt":
        midnight = dt.datetime(1970, 1, 1)
        return [(midnight + dt.timedelta(microseconds=t * 1_000_000 // per)).time() for t in ticks]
    if f == "tdm":
        return [dt.date(1970, 1, 1) + dt.timedelta(milliseconds=t) for t in ticks]
    raise _errors.FormatError(f"Arrow type {f!r} has no Python form", "cast the column to VARCHAR")


def _guarded(make, value):
    try:
        return make(value)
    except OverflowError:  # before year 1 or after 9999: no Python form
        return None


def to_numpy(s, a):
    """A column as a NumPy array (a copy): numbers keep their type; with nulls floats have NaN and everything
    else becomes an object array with None, so that no integer is rounded."""
    import numpy as np

    f, n = s.format, a.length
    valid = _valid(a, a.offset, n)
    if f in _NUMPY and not s.dictionary:
        size = np.dtype(_NUMPY[f]).itemsize
        raw = ctypes.string_at(a.buffers[1] + size * a.offset, size * n) if n else b""
        values = np.frombuffer(raw, dtype=_NUMPY[f]).copy()
        if valid is None:
            return values
        if f in (b"e", b"f", b"g"):
            values[~np.array(valid)] = np.nan
            return values
    elif f == b"b" and valid is None:
        return np.array(_bits(a.buffers[1], a.offset, n), dtype=bool)
    elif f.startswith(b"+w:") and valid is None:
        width, child = int(f[3:]), a.children[0].contents
        if s.children[0].contents.format == b"g":
            raw = ctypes.string_at(child.buffers[1] + 8 * (child.offset + a.offset * width), 8 * n * width)
            return np.frombuffer(raw, dtype="f8").reshape(n, width).copy()
    elif f[:2] in (b"ts", b"td") and f not in (b"tdm",):
        unit = "D" if f == b"tdD" else {"s": "s", "m": "ms", "u": "us", "n": "ns"}[chr(f[2])]
        code = "i4" if f == b"tdD" else "i8"
        raw = ctypes.string_at(a.buffers[1] + int(code[1]) * a.offset, int(code[1]) * n) if n else b""
        values = np.frombuffer(raw, dtype=code).astype("i8").view("M8[D]" if unit == "D" else f"M8[{unit}]")
        if valid is not None:
            values[~np.array(valid)] = np.datetime64("NaT")
        return values
    values = to_list(s, a)
    if f in (b"+l", b"+L") and values and None not in values and len({len(v) for v in values}) == 1:
        if s.children[0].contents.format in (b"g", b"f"):
            return np.array(values, dtype="f8")
    out = np.empty(len(values), dtype=object)
    out[:] = values if not any(isinstance(v, list) for v in values) else None
    if any(isinstance(v, list) for v in values):
        for i, v in enumerate(values):
            out[i] = v
    return out


# ---- building ------------------------------------------------------------------------------------


class _Built:
    """A record batch made here, as a stream of one batch. Alive until the library has copied it."""

    def __init__(self, names, columns, length):
        self.keep, self.given = [], False
        children = [self._column(name, *column) for name, column in zip(names, columns, strict=False)]
        self.schema, self.array = self._pair("", "+s", [], children, length, 0, no_validity=True)
        self.schema.flags = 0
        self.get_schema, self.get_next = _GET_SCHEMA(self._schema), _GET_NEXT(self._next)
        self.get_error, self.release = _GET_ERROR(lambda s: None), _STREAM_RELEASE(self._released)
        self.stream = Stream(self.get_schema, self.get_next, self.get_error, self.release, None)
        self.keep.append((_keep_schema, _keep_array))

    def _column(self, name, fmt, buffers, nulls, length, child=None):
        children = [self._column("item", *child)] if child is not None else []
        return self._pair(name, fmt, buffers, children, length, nulls)

    def _pair(self, name, fmt, buffers, children, length, nulls, no_validity=False):
        s, a = Schema(), Array()
        label, form = name.encode("utf-8", "surrogateescape"), fmt.encode()
        count = 1 if no_validity else len(buffers)
        pointers = (c_void_p * max(count, 1))()
        for i, buffer in enumerate(buffers):
            pointers[i] = _address(buffer)
        kids_s = (POINTER(Schema) * max(len(children), 1))(*[ctypes.pointer(c[0]) for c in children])
        kids_a = (POINTER(Array) * max(len(children), 1))(*[ctypes.pointer(c[1]) for c in children])
        s.format, s.name, s.flags, s.n_children = form, label, 2, len(children)
        s.children, s.release = kids_s, _keep_schema
        a.length, a.null_count, a.n_buffers = length, nulls, count
        a.n_children, a.buffers, a.children, a.release = len(children), pointers, kids_a, _keep_array
        self.keep.append((s, a, label, form, buffers, pointers, kids_s, kids_a, children))
        return s, a

    def _schema(self, stream, out):
        ctypes.memmove(out, ctypes.addressof(self.schema), ctypes.sizeof(Schema))
        return 0

    def _next(self, stream, out):
        if self.given:
            ctypes.memset(out, 0, ctypes.sizeof(Array))
        else:
            ctypes.memmove(out, ctypes.addressof(self.array), ctypes.sizeof(Array))
            self.given = True
        return 0

    def _released(self, stream):
        stream.contents.release = _STREAM_RELEASE()


def _forget_schema(s):
    s.contents.release = _SCHEMA_RELEASE()


def _forget_array(a):
    a.contents.release = _ARRAY_RELEASE()


# The memory is owned by the _Built, so a release only marks the struct; children are not moved out by the
# library.
_keep_schema, _keep_array = _SCHEMA_RELEASE(_forget_schema), _ARRAY_RELEASE(_forget_array)


def _address(buffer):
    if buffer is None:
        return None
    if isinstance(buffer, bytes):
        return ctypes.cast(c_char_p(buffer), c_void_p).value
    if isinstance(buffer, array):
        return buffer.buffer_info()[0] or None
    return buffer.ctypes.data  # a NumPy array


def build(columns: dict) -> _Built:
    """A one-batch stream from {name: list or NumPy array}, all of one length."""
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        raise _errors.DataError(
            "columns have different lengths: " + ", ".join(f"{k!r} {v}" for k, v in list(lengths.items())[:8])
        )
    length = next(iter(lengths.values()), 0)
    made = []
    for name, values in columns.items():
        try:
            made.append(_column(values))
        except (TypeError, ValueError, OverflowError) as error:
            raise _errors.DataError(f"column {name!r}: {error}", "give values of one type") from None
    return _Built(list(columns), made, length)


def _bitmap(flags):
    out = bytearray((len(flags) + 7) // 8)
    for i, flag in enumerate(flags):
        if flag:
            out[i >> 3] |= 1 << (i & 7)
    return bytes(out)


def _column(values):
    """(format, buffers, null count, length[, child]) of a list or a NumPy array."""
    if type(values).__module__ == "numpy" and hasattr(values, "dtype"):
        made = _numpy_column(values)
        if made is not None:
            return made
    if hasattr(values, "tolist"):
        values = values.tolist()
    return _list_column([_missing(v) for v in values])


def _numpy_column(values):
    import numpy as np

    if values.ndim == 2 and values.dtype.kind in "fiub":
        flat = np.ascontiguousarray(values, dtype="f8").reshape(-1)
        return f"+w:{values.shape[1]}", [None], 0, len(values), ("g", [None, flat], 0, len(flat))
    if values.ndim != 1:
        raise TypeError(f"an array of {values.ndim} dimensions is not a column")
    kind, size = values.dtype.kind, values.dtype.itemsize
    for code, name in _NUMPY.items():
        if name == f"{kind}{size}":
            if name == "f2":
                values, code = values.astype("f4"), b"f"
            native = values.astype(values.dtype.newbyteorder("="), copy=False)
            return code.decode(), [None, np.ascontiguousarray(native)], 0, len(values)
    if kind == "b":
        return "b", [None, np.packbits(values, bitorder="little")], 0, len(values)
    if kind == "M":
        days = np.datetime_data(values.dtype)[0] in ("D", "W", "M", "Y")
        ticks = values.astype("M8[D]" if days else "M8[us]").view("i8")
        missing = np.isnat(values)
        nulls, code = int(missing.sum()), "tdD" if days else "tsu:"
        data = ticks.astype("i4") if days else np.ascontiguousarray(ticks)
        return code, [np.packbits(~missing, bitorder="little") if nulls else None, data], nulls, len(values)
    return None


def _missing(v):
    """pandas' missing values as None, without pandas."""
    if v is None or type(v).__name__ in ("NAType", "NaTType"):
        return None
    return v


def _list_column(values):
    n, present = len(values), [v for v in values if v is not None]
    nulls = n - len(present)
    mask = _bitmap([v is not None for v in values]) if nulls else None
    kinds = {type(v) for v in present}
    if not present:
        return "n", [], n, n
    if any(hasattr(v, "item") and not isinstance(v, (str, bytes)) for v in present):
        return _list_column([v.item() if hasattr(v, "item") else v for v in values])
    if kinds == {bool}:
        return "b", [mask, _bitmap([bool(v) for v in values])], nulls, n
    if all(issubclass(k, int) for k in kinds) and bool not in kinds:
        if all(-(1 << 63) <= v < (1 << 63) for v in present):
            return "l", [mask, array("q", [0 if v is None else v for v in values])], nulls, n
        if all(abs(v) < 10**38 for v in present):  # ids too long for 64 bits stay exact
            raw = b"".join((0 if v is None else v).to_bytes(16, sys.byteorder, signed=True) for v in values)
            return "d:38,0", [mask, raw], nulls, n
        raise TypeError("an integer has more than 38 digits; give it as text")
    if kinds <= {int, float}:
        for v in present:
            if isinstance(v, int) and int(float(v)) != v:
                raise TypeError(f"{v} is not exact as a floating-point number, which its neighbours are")
        return "g", [mask, array("d", [0.0 if v is None else float(v) for v in values])], nulls, n
    if all(issubclass(k, str) for k in kinds):
        return _strings(values, mask, nulls, "U", lambda v: v.encode("utf-8"))
    if all(issubclass(k, (bytes, bytearray)) for k in kinds):
        return _strings(values, mask, nulls, "Z", bytes)
    if all(issubclass(k, (list, tuple)) or hasattr(k, "tolist") for k in kinds):
        offsets, items = array("q", [0]), []
        for v in values:
            items.extend(v if v is not None else ())
            offsets.append(len(items))
        child = _list_column([_missing(v) for v in items])
        return "+L", [mask, offsets], nulls, n, child
    return _time_column(values, mask, nulls, kinds)


def _strings(values, mask, nulls, code, encode):
    offsets, size, parts = array("q", [0]), 0, []
    for v in values:
        raw = b"" if v is None else encode(v)
        parts.append(raw)
        size += len(raw)
        offsets.append(size)
    return code, [mask, offsets, b"".join(parts)], nulls, len(values)


def _time_column(values, mask, nulls, kinds):
    import datetime as dt
    from decimal import Decimal

    n = len(values)
    if all(issubclass(k, dt.datetime) for k in kinds):
        zoned = {v.tzinfo is not None for v in values if v is not None}
        if len(zoned) > 1:
            raise TypeError("times with and without a time zone")
        zone = dt.timezone.utc if True in zoned else None
        epoch, one = dt.datetime(1970, 1, 1, tzinfo=zone), dt.timedelta(microseconds=1)
        ticks = array("q", [0 if v is None else (v - epoch) // one for v in values])
        return ("tsu:UTC" if zone else "tsu:"), [mask, ticks], nulls, n
    if kinds == {dt.date}:
        epoch = dt.date(1970, 1, 1)
        return "tdD", [mask, array("i", [0 if v is None else (v - epoch).days for v in values])], nulls, n
    if all(issubclass(k, (Decimal, int)) for k in kinds):
        scale = max(max(-Decimal(v).as_tuple().exponent, 0) for v in values if v is not None)
        whole = [0 if v is None else int(Decimal(v).scaleb(scale)) for v in values]
        raw = b"".join(v.to_bytes(16, sys.byteorder, signed=True) for v in whole)
        return f"d:38,{scale}", [mask, raw], nulls, n
    names = ", ".join(sorted(k.__name__ for k in kinds))
    raise TypeError(f"values of type {names} are not one column")


class One:
    """A stream of the one batch in a pair of capsules (__arrow_c_array__). Like _Built it is copied at
    once."""

    def __init__(self, schema_capsule, array_capsule):
        self.keep = [schema_capsule, array_capsule]
        schema, batch = array_pointers(schema_capsule, array_capsule)
        state = {"given": False}

        def get_schema(stream, out):
            # Borrowed: the capsule stays the owner, so the copy's release only marks the copy.
            ctypes.memmove(out, schema, ctypes.sizeof(Schema))
            out.contents.release = _keep_schema
            return 0

        def get_next(stream, out):
            if state["given"]:
                ctypes.memset(out, 0, ctypes.sizeof(Array))
            else:
                ctypes.memmove(out, batch, ctypes.sizeof(Array))
                out.contents.release = _keep_array
                state["given"] = True
            return 0

        def release(stream):
            stream.contents.release = _STREAM_RELEASE()

        made = (
            _GET_SCHEMA(get_schema),
            _GET_NEXT(get_next),
            _GET_ERROR(lambda s: None),
            _STREAM_RELEASE(release),
        )
        self.keep.append(made)
        self.stream = Stream(*made, None)
