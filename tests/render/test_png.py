"""PNG files: Pillow reads out of them what was put in, whatever packs them, and large ones are packed tightly."""

from __future__ import annotations

import platform
from io import BytesIO
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from render import png, render_png
from render.scene import paint
from rules import VARIANTS, Variant
from tests.render.scenes import charged, seat_name


def indexed(width: int, height: int, indices: bytes) -> Image.Image:
    picture = Image.frombytes("P", (width, height), indices)
    picture.putpalette([part for index in range(256) for part in (index, 255 - index, index // 2)])
    return picture


def read(file: bytes) -> Image.Image:
    """What Pillow finds in a file; it checks every chunk."""
    picture = Image.open(BytesIO(file))
    picture.verify()
    picture = Image.open(BytesIO(file))
    picture.load()
    return picture


@pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64", "aarch64", "arm64"), reason="isal has no wheels for this processor"
)
def test_the_quick_packer_is_here() -> None:
    assert png.quick is not None, "isal is among the dependencies; without it boards take ten times as long to pack"


@given(st.integers(1, 40), st.integers(1, 40), st.randoms(use_true_random=False))
def test_what_is_written_is_read_again(width: int, height: int, chance: Random) -> None:
    picture = indexed(width, height, chance.randbytes(width * height))
    found = read(png.encode(picture))
    assert (found.format, found.mode, found.size) == ("PNG", "P", picture.size)
    assert found.convert("RGB").tobytes() == picture.convert("RGB").tobytes()


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=seat_name)
def test_a_board_is_the_same_where_there_is_no_quick_packer(variant: Variant, monkeypatch: pytest.MonkeyPatch) -> None:
    view = charged(variant, 0)
    here = render_png(view)
    monkeypatch.setattr(png, "quick", None)
    elsewhere = render_png(view)
    assert read(here).convert("RGB").tobytes() == read(elsewhere).convert("RGB").tobytes()


@pytest.mark.skipif(png.quick is None, reason="isal has no wheels for this processor")
@pytest.mark.parametrize("key", ["camelot", "chivalry", "cam-3d"])
def test_a_board_of_squares_is_packed_once(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    quickly = render_png(charged(VARIANTS[key], 0))
    monkeypatch.setattr(png, "quick", None)
    assert render_png(charged(VARIANTS[key], 0)) != quickly


@pytest.mark.skipif(png.quick is None, reason="isal has no wheels for this processor")
def test_what_would_become_too_large_is_packed_tightly(monkeypatch: pytest.MonkeyPatch) -> None:
    picture = paint(charged(VARIANTS["tri-camelot"], 0))
    file = png.encode(picture)
    assert len(file) <= png.LARGEST
    monkeypatch.setattr(png, "LARGEST", 1 << 20)
    assert len(png.encode(picture)) > len(file)
