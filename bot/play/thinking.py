"""The process in which the engine thinks: it runs `main`. It knows nothing of Discord and of the store.

It reads requests from its standard input and writes what comes of them to its standard output, each as its length and
a pickle, for one program that has started it. It ends when that one does, also in the middle of a thought.
"""

from __future__ import annotations

import io
import os
import pickle
import queue
import signal
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any, BinaryIO

from rules import VARIANTS, Variant

PROCESS_NICENESS = 10
"""By how much others go first."""

LENGTH_BYTES = 4
"""Bytes of a length."""


class _Pickler(pickle.Pickler):
    """Writes of a variant only its name: both sides have all of them, and compare them by identity."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, Variant) and VARIANTS.get(value.key) is value:
            return variant_by_key, (value.key,)
        return NotImplemented  # by which pickle writes it in its usual way


def variant_by_key(key: str) -> Variant:
    """That variant, as this process has it."""
    return VARIANTS[key]


def pack_message(value: object) -> bytes:
    """That value, as it goes from one process to the other."""
    buffer = io.BytesIO()
    _Pickler(buffer, pickle.HIGHEST_PROTOCOL).dump(value)
    return buffer.getbuffer().nbytes.to_bytes(LENGTH_BYTES, "big") + buffer.getvalue()


def _read_requests(source: BinaryIO, requests: queue.Queue[bytes]) -> None:
    """Take requests until nobody is there any more to ask: then nobody waits for an answer either."""
    while len(header := source.read(LENGTH_BYTES)) == LENGTH_BYTES:
        requests.put(source.read(int.from_bytes(header, "big")))
    os._exit(0)


def answer_request(request: bytes) -> tuple[bool, Any]:
    """What the engine says to a request, or what it raises, in words; and whether it is an answer."""
    try:
        name, arguments, named = pickle.loads(request)  # noqa: S301 - from the program that has started this one
        ask: Callable[..., Any] = getattr(import_module("engine"), name)
        return True, ask(*arguments, **named)
    except Exception as error:  # noqa: BLE001 - which is for whoever asks
        return False, f"{type(error).__name__}: {error}"


def main() -> None:
    """Say that it is ready, then answer one request after the other."""
    if hasattr(os, "nice"):  # not on Windows
        os.nice(PROCESS_NICENESS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program that asks; with it this one ends
    requests: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=_read_requests, args=(sys.stdin.buffer, requests), daemon=True).start()
    import_module("engine")  # of which the program that asks needs nothing
    message: tuple[bool, Any] = (True, "ready")
    while True:
        try:
            sys.stdout.buffer.write(pack_message(message))
            sys.stdout.buffer.flush()
        except BrokenPipeError:  # nobody is there any more to hear it
            os._exit(0)
        message = answer_request(requests.get())
