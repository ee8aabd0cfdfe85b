# SPDX-License-Identifier: Apache-2.0
"""The shared library through ctypes: finding it, the types of its functions, the session, and calls.

One session serves the process; it opens at first use. Every call has a context of its own (gm_fork), so any
thread may call. A call from the main thread that may take long runs on a helper thread while the main thread
waits in short steps: Python can then run its signal handlers, Ctrl-C cancels the call at once, and the
progress bar moves.
"""

from __future__ import annotations

import atexit
import ctypes
import json
import os
import sys
import threading
import time
import weakref
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint64, c_void_p

from . import _errors

HERE = os.path.dirname(os.path.abspath(__file__))


class Event(ctypes.Structure):
    _fields_ = [
        ("level", c_int),
        ("code", c_char_p),
        ("text", c_char_p),
        ("fields", c_char_p),
        ("unit", c_char_p),
        ("done", c_double),
        ("total", c_double),
    ]


RECEIVER = ctypes.CFUNCTYPE(None, c_void_p, POINTER(Event))

_NAMES = POINTER(c_char_p)
_HANDLES = POINTER(c_void_p)
_STR = POINTER(c_void_p)  # char **: kept as an address, so that gm_free gets it back
_OUT = POINTER(c_void_p)

_FUNCTIONS = {
    "gm_version": (c_char_p,),
    "gm_free": (None, c_void_p),
    "gm_code_name": (c_char_p, c_int),
    "gm_code_text": (c_char_p, c_int),
    "gm_code_exit_status": (c_int, c_int),
    "gm_code_exception": (c_char_p, c_int),
    "gm_open": (c_int, c_char_p, _OUT),
    "gm_fork": (c_int, c_void_p, _OUT),
    "gm_close": (None, c_void_p),
    "gm_message": (c_char_p, c_void_p),
    "gm_hint": (c_char_p, c_void_p),
    "gm_cancel": (None, c_void_p),
    "gm_on_event": (c_int, c_void_p, RECEIVER, c_void_p),
    "gm_registry": (c_int, c_void_p, _STR),
    "gm_schema": (c_int, c_void_p, c_char_p, _STR),
    "gm_table_open": (c_int, c_void_p, c_char_p, _OUT),
    "gm_table_arrow": (c_int, c_void_p, c_void_p, c_char_p, _OUT),
    "gm_table_sql": (c_int, c_void_p, c_char_p, _NAMES, _HANDLES, c_int, _OUT),
    "gm_table_columns": (c_int, c_void_p, c_void_p, _STR),
    "gm_table_text": (c_int, c_void_p, c_void_p, _STR),
    "gm_table_report": (c_int, c_void_p, c_void_p, _STR),
    "gm_table_export": (c_int, c_void_p, c_void_p, c_void_p),
    "gm_table_write": (c_int, c_void_p, c_void_p, c_char_p, c_char_p, POINTER(c_int64)),
    "gm_table_count": (c_int, c_void_p, c_void_p, POINTER(c_int64)),
    "gm_table_persist": (c_int, c_void_p, c_void_p, c_char_p, _OUT),
    "gm_table_split": (c_int, c_void_p, c_void_p, POINTER(c_double), c_int, c_uint64, c_char_p, _HANDLES),
    "gm_table_free": (None, c_void_p),
    "gm_pipeline_parse": (c_int, c_void_p, c_char_p, c_char_p, _NAMES, c_int, _OUT),
    "gm_pipeline_auto": (c_int, c_void_p, c_void_p, c_char_p, _OUT, _STR),
    "gm_pipeline_text": (c_int, c_void_p, c_void_p, c_char_p, c_int, _STR),
    "gm_pipeline_source": (c_int, c_void_p, c_void_p, _OUT),
    "gm_explain": (c_int, c_void_p, c_void_p, c_void_p, c_char_p, _STR),
    "gm_pipeline_free": (None, c_void_p),
    "gm_fit": (c_int, c_void_p, c_void_p, c_void_p, c_char_p, _OUT),
    "gm_fit_from": (c_int, c_void_p, c_void_p, c_void_p, c_char_p, c_void_p, _OUT),
    "gm_model_save": (c_int, c_void_p, c_void_p, c_char_p),
    "gm_model_load": (c_int, c_void_p, c_char_p, _OUT),
    "gm_model_write": (c_int, c_void_p, c_void_p, _OUT, POINTER(c_size_t)),
    "gm_model_read": (c_int, c_void_p, c_char_p, c_size_t, _OUT),
    "gm_model_info": (c_int, c_void_p, c_void_p, _STR),
    "gm_model_state": (c_int, c_void_p, c_void_p, c_int, c_char_p, c_void_p, c_void_p),
    "gm_model_transform": (c_int, c_void_p, c_void_p, c_void_p, c_char_p, _OUT),
    "gm_model_evaluate": (c_int, c_void_p, c_void_p, c_void_p, c_char_p, _STR),
    "gm_evaluate": (c_int, c_void_p, c_void_p, c_char_p, _STR),
    "gm_model_report": (c_int, c_void_p, c_void_p, c_char_p),
    "gm_model_free": (None, c_void_p),
    "gm_capsule_export": (c_int, c_void_p, c_void_p, _OUT),
    "gm_capsule_free": (None, c_void_p),
}


def candidates() -> list:
    """Where the library is looked for, in order."""
    named = os.environ.get("GRISTMILL_LIBRARY")
    if named:
        return [named]
    return [
        os.path.join(HERE, "libgristmill.so"),
        os.path.normpath(os.path.join(HERE, "..", "..", "build", "lib", "libgristmill.so")),
        "libgristmill.so",
    ]


def _open_library():
    tried = []
    for path in candidates():
        if os.path.isabs(path) and not os.path.exists(path):
            tried.append(f"{path}: no such file")
            continue
        try:
            library = ctypes.CDLL(path)
        except OSError as error:
            tried.append(f"{path}: {error}")
            continue
        for name, (result, *arguments) in _FUNCTIONS.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
        return library
    raise _errors.LibraryError(
        "libgristmill.so was not found: " + "; ".join(tried),
        "build it with `make`, install the wheel, or set GRISTMILL_LIBRARY to its path",
    )


_lock = threading.RLock()
_library = None
_generation = 0  # grows at each fork of the process: what was made before it cannot be used after it


def library():
    """The loaded library."""
    global _library
    if _library is None:
        with _lock:
            if _library is None:
                _library = _open_library()
    return _library


def version() -> str:
    return library().gm_version().decode()


# ---- the session ---------------------------------------------------------------------------------

_OPTIONS = ("threads", "memory", "seed", "spill", "locked")
_options: dict = {}
_root = None  # gm_cx * of the session
progress = "auto"
listener = None


def _raise(cx, code):
    lib = library()
    message, hint = (lib.gm_message(cx), lib.gm_hint(cx)) if cx else (lib.gm_code_text(code), b"")
    raise _errors.make(code, message.decode("utf-8", "replace"), hint.decode("utf-8", "replace"))


def _session():
    global _root
    with _lock:
        if _root is None:
            lib, out = library(), c_void_p()
            code = lib.gm_open(dump(_options), byref(out))
            if code:
                try:
                    _raise(out.value, code)
                finally:
                    lib.gm_close(out)
            _root = out.value
        return _root


def config(**changes) -> dict:
    """Sets options of the session and returns all of them; see gristmill.config."""
    global _root, progress, listener
    unknown = [name for name in changes if name not in (*_OPTIONS, "progress", "on_event")]
    if unknown:
        near = nearest(unknown[0], [*_OPTIONS, "progress", "on_event"])
        raise _errors.ParamError(f"config has no option {unknown[0]!r}", near)
    if "progress" in changes:
        value = changes.pop("progress")
        if value not in (True, False, "auto"):
            raise _errors.ParamError(f"progress is {value!r}; expected True, False or 'auto'")
        progress = value
    if "on_event" in changes:
        value = changes.pop("on_event")
        if value is not None and not callable(value):
            raise _errors.ParamError(f"on_event is {value!r}; expected a function or None")
        listener = value
    with _lock:
        merged = {**_options, **{k: v for k, v in changes.items() if v is not None}}
        for name in changes:
            if changes[name] is None:
                merged.pop(name, None)
        if merged != _options:
            old, before = _root, dict(_options)
            if old is not None and Handle.alive("table"):
                raise _errors.UsageError(
                    "the session's options cannot change while tables are in use",
                    "call gm.config before the first table, or drop all tables first",
                )
            _options.clear()
            _options.update(merged)
            _root = None
            try:
                if changes:
                    _session()
            except BaseException:
                _options.clear()
                _options.update(before)
                _root = old
                raise
            if old is not None:
                library().gm_close(old)
    return {**{name: _options.get(name) for name in _OPTIONS}, "progress": progress, "on_event": listener}


class Handle:
    """An object of the library, released when nothing refers to it, in any order and on any thread."""

    _live: dict = {"table": 0, "pipeline": 0, "model": 0}
    __slots__ = ("kind", "_pointer", "_generation", "_end", "__weakref__")

    def __init__(self, kind: str, pointer: int):
        self.kind, self._pointer, self._generation = kind, pointer, _generation
        with _lock:
            Handle._live[kind] += 1
        self._end = weakref.finalize(self, Handle._free, kind, pointer, _generation)

    @staticmethod
    def _free(kind, pointer, generation):
        with _lock:
            Handle._live[kind] -= 1
        if generation == _generation and not _stuck:
            getattr(_library, f"gm_{kind}_free")(pointer)

    @staticmethod
    def alive(kind: str) -> int:
        return Handle._live[kind]

    @property
    def pointer(self) -> int:
        if not self._end.alive:
            raise _errors.UsageError(f"the interpreter is exiting: this {self.kind} was released")
        # A model is plain memory and may be used in a child process; the threads behind a table ended.
        if self._generation != _generation and self.kind == "table":
            raise _errors.UsageError(
                "this table was made before the process forked", "make the table in the process that uses it"
            )
        return self._pointer


# ---- calls ---------------------------------------------------------------------------------------

_active: dict = {}  # id of a call -> Call
_next_id = 1


@RECEIVER
def _receive(user, event):
    call = _active.get(user)
    if call is not None:
        call.tell(event.contents)


def _warning(event) -> str:
    text = (event.text or b"").decode("utf-8", "replace")
    if event.code == b"metric.undefined" and event.fields:
        return f"{json.loads(event.fields).get('metric', 'the metric')} is undefined: {text}"
    return text


class Call:
    """One call: a context, its events, and cancelling that never meets a closed context."""

    def __init__(self):
        global _next_id
        if _exiting:
            raise _errors.UsageError("the interpreter is exiting")
        lib, out = library(), c_void_p()
        with _lock:  # the session's first context serves one call at a time
            root = _session()
            code = lib.gm_fork(root, byref(out))
            if code:
                _raise(out.value or root, code)
        self.cx, self.guard = out.value, threading.Lock()
        self.warnings, self.last, self.title = [], None, ""
        with _lock:
            self.id, _next_id = _next_id, _next_id + 1
        _active[self.id] = self
        lib.gm_on_event(self.cx, _receive, self.id)

    def tell(self, event):
        if event.level == 0:
            self.last = (event.code, event.text, event.unit, event.done, event.total)
        elif event.level >= 2:
            self.warnings.append(_warning(event))
        if listener is not None:
            listener(
                {
                    "level": ("progress", "information", "warning")[min(max(event.level, 0), 2)],
                    "code": (event.code or b"").decode("utf-8", "replace"),
                    "text": (event.text or b"").decode("utf-8", "replace"),
                    "fields": json.loads(event.fields) if event.fields else {},
                    "unit": (event.unit or b"").decode("utf-8", "replace"),
                    "done": event.done,
                    "total": event.total,
                }
            )

    def check(self, code):
        if code:
            _raise(self.cx, code)

    def cancel(self):
        with self.guard:
            if self.cx:
                library().gm_cancel(self.cx)

    def close(self):
        with self.guard:
            cx, self.cx = self.cx, None
        if cx:
            library().gm_close(cx)
        _active.pop(self.id, None)


PATIENCE = 10  # seconds that a cancelled call has to end


def run(work, title: str = ""):
    """work(call) with a new context, waiting so that Ctrl-C ends it at once. title: shown by the progress
    bar; a call without title is short and runs here."""
    call = Call()
    call.title = title
    try:
        if title and threading.current_thread() is threading.main_thread():
            result = _wait(call, work)
        else:
            try:
                result = work(call)
            finally:
                call.close()
    finally:
        messages = call.warnings
    for text in messages:
        warn(text)
    return result


class _Outcome:
    __slots__ = ("done", "value", "error")

    def __init__(self):
        self.done, self.value, self.error = threading.Event(), None, None


def _work(call, work, outcome):
    try:
        outcome.value = work(call)
    except BaseException as error:  # whatever it is, the waiting thread raises it
        outcome.error = error
    finally:
        call.close()
        outcome.done.set()


def _wait(call, work):
    from ._progress import Bar

    outcome, bar = _Outcome(), Bar(call, progress)
    thread = threading.Thread(target=_work, args=(call, work, outcome), name="gristmill", daemon=True)
    try:
        try:
            try:
                thread.start()
            except RuntimeError:  # no thread can be had, as at the end of the interpreter
                _work(call, work, outcome)
            while not outcome.done.wait(0.1):
                bar.draw()
        except BaseException:
            # Ctrl-C, or what another signal handler raised. The library stops within a moment; a second
            # Ctrl-C, or ten seconds without an end (a server that does not answer), leaves it to finish by
            # itself: the helper owns the context and all that the call needs.
            call.cancel()
            if thread.ident is None:
                call.close()
            else:
                outcome.done.wait(PATIENCE)
            raise
        if outcome.error is not None:
            error, outcome.error = outcome.error, None
            try:
                raise error
            finally:
                del error
        return outcome.value
    finally:
        bar.close()


def warn(text: str):
    """A warning that points at the caller's line, not into this package."""
    import warnings

    frame, level = sys._getframe(1), 2
    while frame is not None and os.path.dirname(os.path.abspath(frame.f_code.co_filename)) == HERE:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, _errors.Warning, stacklevel=level)


def text_of(call, function, *arguments) -> str:
    """The text a char ** function returns."""
    out = c_void_p()
    call.check(function(call.cx, *arguments, byref(out)))
    try:
        return ctypes.string_at(out.value).decode("utf-8", "replace")
    finally:
        library().gm_free(out)


def _pointers(arguments):
    """Handles as their pointers. The caller's closure keeps the handles alive while the call runs, also when
    the waiting thread was interrupted."""
    return [a.pointer if isinstance(a, Handle) else a for a in arguments]


def ask(name: str, *arguments, title: str = "") -> str:
    """Calls a function whose last argument is char **json."""
    function = getattr(library(), name)
    return run(lambda call: text_of(call, function, *_pointers(arguments)), title)


def make(kind: str, name: str, *arguments, title: str = "", keep=None) -> Handle:
    """Calls a function whose last argument is a new handle; keep is kept alive until it returns."""
    function = getattr(library(), name)

    def work(call):
        out = c_void_p()
        call.check(function(call.cx, *_pointers(arguments), byref(out)))
        return Handle(kind, out.value)

    work.keep = keep
    return run(work, title)


def encode(text, what: str = "text") -> bytes:
    """UTF-8 for the library, which ends texts at NUL."""
    if isinstance(text, os.PathLike):
        text = os.fspath(text)
    if not isinstance(text, str):
        raise _errors.UsageError(f"{what} is {type(text).__name__}; expected text")
    if "\0" in text:
        raise _errors.UsageError(f"{what} holds a NUL character")
    return text.encode("utf-8", "surrogateescape")


def dump(value) -> bytes:
    """JSON for the library."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, default=plain).encode(
        "utf-8", "surrogateescape"
    )


def plain(value):
    """NumPy scalars and arrays, paths, tuples and the like as JSON values."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    if hasattr(value, "__iter__"):
        return list(value)
    raise TypeError(f"{type(value).__name__} cannot be given to the library")


def nearest(name: str, names) -> str:
    """ "did you mean ...?" or ""."""
    import difflib

    lowered = {str(n).lower(): n for n in names}
    found = difflib.get_close_matches(str(name).lower(), list(lowered), 1, 0.6)
    return f"did you mean {lowered[found[0]]!r}?" if found else ""


# ---- the end of the process, and fork ------------------------------------------------------------


_exiting = _stuck = False


def _at_exit():
    """Ends the calls of helper and daemon threads. Runs before the finalizers of the handles, so that no call
    loses what it works on: weakref has its handler since the first finalizer, and the last one runs first.
    """
    global _exiting, _stuck
    _exiting, end = True, time.monotonic() + 5
    while _active and time.monotonic() < end:
        for call in list(_active.values()):
            call.cancel()
        time.sleep(0.005)
    _stuck = bool(_active)


def _after_fork():
    """A child has none of the session's threads: it opens a session of its own at first use."""
    global _root, _generation, _lock
    _lock = threading.RLock()
    _root = None
    _generation += 1
    _active.clear()


weakref.finalize(Handle, int)
atexit.register(_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
