"""The code of the engine's process, which runs `main`. It uses neither Discord nor the store.

It reads requests from standard input and writes the results to standard output, each as its length and a pickle, for
the one program that started it. It ends when that program does, even in the middle of a question.
"""

from __future__ import annotations

import io
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any

from rules import VARIANTS, Variant

PROCESS_NICENESS = 10
"""Added to the niceness, so that other processes go first."""

LENGTH_BYTES = 4
"""Bytes of a length."""


class _Pickler(pickle.Pickler):
    """Writes a variant as its name: both sides have all variants, and compare them by identity."""

    def reducer_override(self, value: object) -> Any:
        if isinstance(value, Variant) and VARIANTS.get(value.key) is value:
            return variant_by_key, (value.key,)
        return NotImplemented  # makes pickle write the value in its usual way


def variant_by_key(key: str) -> Variant:
    """Returns that variant as this process has it."""
    return VARIANTS[key]


def pack_message(value: object) -> bytes:
    """Returns that value as the bytes sent between the two processes."""
    buffer = io.BytesIO()
    _Pickler(buffer, pickle.HIGHEST_PROTOCOL).dump(value)
    return buffer.getbuffer().nbytes.to_bytes(LENGTH_BYTES, "big") + buffer.getvalue()


def answer_request(request: bytes) -> tuple[bool, object]:
    """Returns True and the engine's answer, or False and the error in words."""
    name, arguments, named = pickle.loads(request)  # noqa: S301 - from the program that started this one
    try:
        ask: Callable[..., object] = getattr(import_module("engine"), name)
        return True, ask(*arguments, **named)
    except Exception as error:  # noqa: BLE001 - the asking program gets it
        return False, f"{type(error).__name__}: {error}"


def main() -> None:
    """Says that it is ready, then answers requests, each in a thread. Ends when the asking program is gone, also in the
    middle of a question: nobody waits for an answer any longer.
    """
    if hasattr(os, "nice"):  # not on Windows
        os.nice(PROCESS_NICENESS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the asking program; this one ends with it
    import_module("engine")  # here and not at the top, because the asking program needs none of it
    source = sys.stdin.buffer

    def send(message: object) -> None:
        try:
            sys.stdout.buffer.write(pack_message(message))
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            os._exit(0)

    send("ready")
    while len(header := source.read(LENGTH_BYTES)) == LENGTH_BYTES:
        request = source.read(int.from_bytes(header, "big"))
        threading.Thread(target=lambda asked: send(answer_request(asked)), args=(request,), daemon=True).start()
    os._exit(0)
