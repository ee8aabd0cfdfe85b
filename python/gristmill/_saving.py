# SPDX-License-Identifier: Apache-2.0
"""Spark's words for saving and loading: write().overwrite().save(path), read().load(path)."""

from __future__ import annotations

import os

from . import _errors


class ModelWriter:
    """Spark's writer: save refuses a path that exists unless overwrite() was called."""

    def __init__(self, what):
        self._what, self._over = what, False

    def overwrite(self) -> ModelWriter:
        self._over = True
        return self

    def save(self, path):
        if not self._over and os.path.lexists(path):
            raise _errors.FileError(f"{os.fspath(path)} exists already", "use write().overwrite().save(path)")
        self._what.save(path)


class ModelReader:
    """Spark's reader."""

    def __init__(self, cls):
        self._cls = cls

    def load(self, path):
        return self._cls.load(path)


def load(path):
    """A model, or a pipeline (.yaml, .yml, .json); see gristmill.load."""
    from ._pipeline_model import PipelineModel
    from ._stages import Pipeline

    if os.fspath(path).lower().endswith((".yaml", ".yml", ".json")):
        return Pipeline.load(path)
    return PipelineModel.load(path)
