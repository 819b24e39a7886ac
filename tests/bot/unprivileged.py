"""Makes file permissions hold for the user that runs the tests, even for root."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

# Linux's capabilities(7), prctl(2) and securebits.
_VERSION_3 = 0x20080522
_PAST_PERMISSIONS = 1 << 1 | 1 << 2  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
_GET_SECUREBITS, _SET_SECUREBITS = 27, 28
_NO_SETUID_FIXUP = 1 << 2


def permit(paths: Iterable[Path], mode: int) -> None:
    """Sets the permission bits of these paths."""
    for path in paths:
        path.chmod(mode)


@contextmanager
def unprivileged() -> Iterator[None]:
    """Drops root's right to ignore file permissions. The owners of files stay the same.

    Becoming another user instead would shut the program out of its own code wherever that lies in a folder of root's.
    What holds is this thread, and those that begin in it.
    """
    if not hasattr(os, "geteuid"):
        pytest.skip("files have no owners here")
    if os.geteuid() != 0:
        yield
        return
    if sys.platform != "linux":
        pytest.skip("here root cannot do without its rights")
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(_VERSION_3, 0)
    sets = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable; then the same for later capabilities
    _done(libc.capget(header, sets))
    effective = sets[0]
    bits = libc.prctl(_GET_SECUREBITS, 0, 0, 0, 0)
    # Else os.access would answer for what root is permitted, and not for what it makes use of.
    _done(libc.prctl(_SET_SECUREBITS, bits | _NO_SETUID_FIXUP, 0, 0, 0))
    sets[0] = effective & ~_PAST_PERMISSIONS
    _done(libc.capset(header, sets))
    try:
        yield
    finally:
        sets[0] = effective
        _done(libc.capset(header, sets))
        _done(libc.prctl(_SET_SECUREBITS, bits, 0, 0, 0))


def _done(result: int) -> None:
    """Skips the test where the system has refused: a container may keep its root from changing its rights."""
    if result == -1:
        pytest.skip(f"root cannot do without its rights here: {os.strerror(ctypes.get_errno())}")
