# SPDX-License-Identifier: Apache-2.0
"""Params: what stages, models and evaluators share. Parameters are rows of the library's registry; their
values are kept as given, and the library checks them when they are used."""

from __future__ import annotations

import os

from . import _errors, _lib, _registry


class Param:
    """A parameter of one object: parent (its uid), name, doc, and what the registry says of its type."""

    __slots__ = ("parent", "name", "doc", "row")

    def __init__(self, parent: str, row: dict):
        self.parent, self.name, self.doc, self.row = parent, row["name"], row.get("help") or "", row

    def __eq__(self, other):
        return isinstance(other, Param) and (self.parent, self.name) == (other.parent, other.name)

    def __hash__(self):
        return hash((self.parent, self.name))

    def __repr__(self):
        return f"{self.parent}__{self.name}"


class _Named:
    """stage.maxIter is the Param, as in Spark; its value is stage.getMaxIter()."""

    def __init__(self, name):
        self.name = name

    def __get__(self, obj, owner):
        return self if obj is None else obj.getParam(self.name)


class _Signature:
    """inspect.signature(LogisticRegression), made when it is asked for."""

    def __get__(self, obj, owner):
        rows = owner.__dict__.get("_rows")
        if rows is None:
            raise AttributeError("__signature__")
        from inspect import Parameter, Signature

        given = [
            Parameter(r["name"], Parameter.KEYWORD_ONLY, default=r.get("default"), annotation=annotation(r))
            for r in rows.values()
        ]
        given += [Parameter(w, Parameter.KEYWORD_ONLY, default=None) for w in owner._words]
        return Signature(given)


_TYPES = {
    "bool": "bool", "int": "int", "real": "float", "string": "str", "enum": "str", "strings": "list[str]",
    "reals": "list[float]", "ints": "list[int]", "any": "object",
}  # fmt: skip


def annotation(row: dict) -> str:
    """The type of a parameter for signatures and stubs."""
    text = _TYPES.get(row["type"], "object")
    return text if row.get("default") is not None or text == "object" else f"{text} | None"


class Params:
    """Parameters by name, with Spark's accessors and scikit-learn's get_params and set_params."""

    _rows: dict = {}
    _words: tuple = ()
    _name = ""
    __signature__ = _Signature()

    def __init__(self, **params):
        self.uid = f"{self._name}_{os.urandom(6).hex()}"
        self._values, self._word_values = {}, {}
        self._set_all(params)

    # ---- names ----

    @classmethod
    def _resolve(cls, name: str) -> str:
        if name in cls._rows or name in cls._words:
            return name
        found = cls._aliases().get(name)
        if found is None:
            near = _lib.nearest(name, [*cls._rows, *cls._words])
            raise _errors.ParamError(f"{cls._name} has no parameter {name!r}", near)
        return found

    @classmethod
    def _aliases(cls) -> dict:
        if "_alias_cache" not in cls.__dict__:
            cls._alias_cache = {_registry.snake(n): n for n in cls._rows}
        return cls._alias_cache

    def _set_all(self, params: dict):
        given = {}
        for key, value in params.items():
            written = key.name if isinstance(key, Param) else key
            name = self._resolve(written)
            if given.setdefault(name, written) != written:
                raise _errors.ParamError(f"{self._name}: {given[name]} and {written} are one parameter")
            if name in self._words:
                self._set_word(name, value)
            elif value is None:
                self._values.pop(name, None)
            else:
                self._values[name] = _checked(self._name, self._rows[name], value)
        return self

    def _set_word(self, name, value):
        raise _errors.ParamError(f"{self._name} has no parameter {name!r}")

    # ---- Spark ----

    @property
    def params(self) -> list:
        """All parameters, by name."""
        return [Param(self.uid, row) for _, row in sorted(self._rows.items())]

    def getParam(self, paramName: str) -> Param:
        """The Param of this name."""
        name = self._resolve(paramName)
        if name not in self._rows:
            raise _errors.ParamError(f"{name!r} is a word of scikit-learn, not a parameter of {self._name}")
        return Param(self.uid, self._rows[name])

    def hasParam(self, paramName: str) -> bool:
        return paramName in self._rows

    def _named(self, param) -> str:
        return self._resolve(param.name if isinstance(param, Param) else param)

    def isSet(self, param) -> bool:
        """Whether the value was given (not the default)."""
        return self._named(param) in self._values

    def hasDefault(self, param) -> bool:
        return self._rows[self._named(param)].get("default") is not None

    def isDefined(self, param) -> bool:
        return self.isSet(param) or self.hasDefault(param)

    def getOrDefault(self, param):
        """The value given, else the default; None when there is neither."""
        name = self._named(param)
        return self._values[name] if name in self._values else self._rows[name].get("default")

    def set(self, param, value):
        """Sets one parameter; None goes back to the default."""
        return self._set_all({self._named(param): value})

    def clear(self, param):
        """Back to the default."""
        self._values.pop(self._named(param), None)
        return self

    def setParams(self, **params):
        """Sets parameters by name."""
        return self._set_all(params)

    def explainParam(self, param) -> str:
        """Name, meaning, default and value of one parameter."""
        row = self._rows[self._named(param)]
        default, notes = row.get("default"), []
        if row.get("choices"):
            notes.append("one of " + ", ".join(row["choices"]))
        notes += [
            f"{word} {row[key]}" for key, word in (("min", "at least"), ("max", "at most")) if key in row
        ]
        values = "undefined" if default is None else f"default: {default}"
        if row["name"] in self._values:
            values += f", current: {self._values[row['name']]}"
        return (
            f"{row['name']}: {row.get('help') or ''}{f' ({chr(59).join(notes)})' if notes else ''} ({values})"
        )

    def explainParams(self) -> str:
        """One line for each parameter."""
        return "\n".join(self.explainParam(name) for name in sorted(self._rows))

    def extractParamMap(self, extra: dict = None) -> dict:
        """{Param: value}: defaults, then given values, then extra."""
        out = {}
        for name, row in sorted(self._rows.items()):
            value = self.getOrDefault(name)
            if value is not None:
                out[Param(self.uid, row)] = value
        for key, value in (extra or {}).items():
            out[self.getParam(key.name if isinstance(key, Param) else key)] = value
        return out

    def copy(self, extra: dict = None):
        """The same with the same uid, and some values replaced: {Param or name: value}."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._values, other._word_values = dict(self._values), dict(self._word_values)
        return other._set_all(extra or {})

    # ---- scikit-learn ----

    def get_params(self, deep: bool = True) -> dict:
        """{name: value} of all parameters, defaults included."""
        return {
            **{n: self.getOrDefault(n) for n in self._rows},
            **{w: self._word_values.get(w) for w in self._words},
        }

    def set_params(self, **params):
        """Sets parameters by name and gives this object."""
        return self._set_all(params)

    def __sklearn_clone__(self):
        other = self.copy()
        other.uid = f"{self._name}_{os.urandom(6).hex()}"
        return other

    def __repr__(self):
        given = {**self._values, **{k: v for k, v in self._word_values.items() if v is not None}}
        return f"{self._name}({', '.join(f'{k}={v!r}' for k, v in given.items())})"

    def __eq__(self, other):
        return self is other

    __hash__ = object.__hash__


_WANTED = {
    "bool": (bool,), "int": (int,), "real": (int, float), "string": (str,), "enum": (str,),
}  # fmt: skip


def _checked(owner, row, value):
    """The value if its type fits; numbers and lists in NumPy's form are accepted. Ranges are the library's to
    check."""
    kind, plain = row["type"], value
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        plain = value.item()
    elif hasattr(value, "tolist"):
        plain = value.tolist()
    if kind in ("strings", "reals", "ints"):
        if isinstance(plain, (str, bytes)) or not hasattr(plain, "__iter__"):
            plain = [plain]
        plain = list(plain)
        element = {"strings": str, "reals": (int, float), "ints": int}[kind]
        flat = [e for p in plain for e in (p if isinstance(p, (list, tuple)) and kind == "reals" else [p])]
        fits = all(isinstance(e, element) and not isinstance(e, bool) for e in map(_scalar, flat))
    elif kind in _WANTED:
        fits = isinstance(plain, _WANTED[kind]) and (kind == "bool" or not isinstance(plain, bool))
        if kind == "int" and isinstance(plain, float) and plain.is_integer():
            plain, fits = int(plain), True
    else:
        fits = True
    if not fits:
        raise _errors.ParamError(f"{owner}.{row['name']} is {value!r}; expected {_TYPES[kind]}")
    if kind == "enum" and row.get("choices") and plain not in row["choices"]:
        exact = {c.lower(): c for c in row["choices"]}
        if plain.lower() in exact:
            return exact[plain.lower()]
        near = _lib.nearest(plain, row["choices"])
        raise _errors.ParamError(
            f"{owner}.{row['name']} is {plain!r}; expected one of {', '.join(row['choices'])}", near
        )
    return plain


def _scalar(value):
    return value.item() if hasattr(value, "item") else value


def document(summary, doc, rows, words=()) -> str:
    """A docstring in numpy's style."""
    lines = [summary.rstrip(".") + ".", ""]
    if doc:
        lines += [doc.strip(), ""]
    if rows:
        lines += ["Parameters", "----------"]
        for r in rows.values():
            default = f", default {r['default']!r}" if r.get("default") is not None else ", optional"
            kind = (
                "{" + ", ".join(repr(c) for c in r["choices"]) + "}"
                if r.get("choices")
                else _TYPES[r["type"]]
            )
            lines += [f"{r['name']} : {kind}{default}", f"    {r.get('help') or ''}"]
        lines += [f"{w} : {text}" for w, text in words]
    return "\n".join(lines).rstrip() + "\n"


def accessors(rows: dict) -> dict:
    """getX, setX and the Param itself, for each parameter."""
    out = {}
    for name in rows:
        cap = name[0].upper() + name[1:]

        def get(self, _name=name):
            return self.getOrDefault(_name)

        def put(self, value, _name=name):
            return self._set_all({_name: value})

        get.__name__, put.__name__ = f"get{cap}", f"set{cap}"
        get.__doc__, put.__doc__ = f"The value of {name}.", f"Sets {name} and gives this object."
        out[f"get{cap}"], out[f"set{cap}"], out[name] = get, put, _Named(name)
    return out
