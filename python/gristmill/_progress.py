# SPDX-License-Identifier: Apache-2.0
"""The progress of a call: a line on the terminal, an updating line in a notebook, nothing elsewhere."""

from __future__ import annotations

import html
import shutil
import sys
import time

PATIENCE = 0.5  # seconds before a bar appears: short calls show none


def _notebook() -> bool:
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None and hasattr(module, "get_ipython") else None
    return shell is not None and hasattr(shell, "kernel")


def _number(x: float) -> str:
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if x >= limit:
            return f"{x / limit * (10 if unit == 'k' else 1):.3g}{unit}"
    return f"{x:.0f}"


def line(title, event, started, now, width) -> str:
    """One line of text: what, bar, how much, rate and time left."""
    code, text, unit, done, total = event
    label = (text or b"").decode("utf-8", "replace").replace("\n", " ") or title
    unit = (unit or b"").decode("utf-8", "replace")
    parts, rate = [], done / (now - started) if now > started else 0.0
    if total > 0:
        share = min(max(done / total, 0.0), 1.0)
        filled = int(share * 20)
        parts.append(f"[{'#' * filled}{'.' * (20 - filled)}] {share * 100:3.0f} %")
    if done > 0 or total > 0:
        parts.append(f"{_number(done)}{'/' + _number(total) if total > 0 else ''} {unit}".rstrip())
    if rate > 0:
        parts.append(f"{_number(rate)} {unit}/s" if rate >= 1 else f"{1 / rate:.1f} s each")
        if total > done:
            parts.append(f"{(total - done) / rate:.0f} s left")
    return f"{label}  {'  '.join(parts)}"[: max(width - 1, 20)]


class Bar:
    """draw() is called now and then by the thread that waits; close() clears what was drawn."""

    def __init__(self, call, wanted):
        self.call, self.start = call, time.monotonic()
        self.phase, self.phase_start = None, self.start
        self.shown, self.display = False, None
        if wanted is False:
            self.kind = None
        elif _notebook():
            self.kind = "notebook"
        elif wanted is True or (sys.stderr is not None and sys.stderr.isatty()):
            self.kind = "terminal"
        else:
            self.kind = None

    def draw(self):
        now, event = time.monotonic(), self.call.last
        if self.kind is None or event is None or now - self.start < PATIENCE:
            return
        if event[0] != self.phase:
            self.phase, self.phase_start = event[0], max(self.start, now - 0.1) if self.phase else self.start
        width = shutil.get_terminal_size().columns if self.kind == "terminal" else 110
        text = line(self.call.title, event, self.phase_start, now, width)
        if self.kind == "terminal":
            sys.stderr.write(f"\r\x1b[2K{text}")
            sys.stderr.flush()
        else:
            self._notebook(text)
        self.shown = True

    def _notebook(self, text):
        from IPython.display import HTML, display

        page = HTML(f"<pre>{html.escape(text)}</pre>" if text else "")
        if self.display is None:
            self.display = display(page, display_id=True)
        else:
            self.display.update(page)

    def close(self):
        if not self.shown:
            return
        if self.kind == "terminal":
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
        else:
            self._notebook("")
