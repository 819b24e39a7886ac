"""PNG files of pictures in palette mode.

Nearly all the time that Pillow spends on the file of a board goes into its compression. Intel's ISA-L packs the same
pixels in a tenth of it, into a file that is up to a quarter larger than zlib's. Where that is too large, as for every
other board of Tri-Camelot and where squares bear their names, zlib packs it once more. What is around the packed pixels
is four chunks: https://www.w3.org/TR/png-3/.
"""

from __future__ import annotations

import struct
import zlib

from PIL import Image

try:
    from isal import isal_zlib as quick  # not for every processor
except ImportError:
    quick = None  # type: ignore[assignment]  # it is a module where it is here

LARGEST = 60 * 1024
"""Bytes of a file; if it would have more, a smaller one is worth the time that it takes to make it."""

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_EIGHT_BITS, _INDEXED = 8, 3


def encode(picture: Image.Image) -> bytes:
    """A picture in palette mode (P) as a PNG file."""
    assert picture.mode == "P", picture.mode
    rows = _rows(picture)
    if quick is not None and len(file := _file(picture, quick.compress(rows, 1))) <= LARGEST:
        return file
    return _file(picture, zlib.compress(rows, 5))


def _rows(picture: Image.Image) -> bytes:
    """The indices, each row after the number of its filter: 0, none, as is best for a palette."""
    return picture.crop((-1, 0, *picture.size)).tobytes()  # what lies outside is 0


def _file(picture: Image.Image, packed: bytes) -> bytes:
    width, height = picture.size
    header = struct.pack(">IIBBBBB", width, height, _EIGHT_BITS, _INDEXED, 0, 0, 0)
    palette = bytes(picture.getpalette())  # type: ignore[arg-type]  # it is in palette mode
    chunks = (b"IHDR", header), (b"PLTE", palette), (b"IDAT", packed), (b"IEND", b"")
    return _SIGNATURE + b"".join(_chunk(kind, content) for kind, content in chunks)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
