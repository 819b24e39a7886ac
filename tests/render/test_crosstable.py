"""Crosstables as pictures: their size, their zones, and names of every kind."""

from __future__ import annotations

from io import BytesIO

import pytest
from PIL import Image

from render import THEMES, run_steps
from render.crosstable import MAX_HEIGHT, TABLE_WIDTH, CrosstableView, RowZone, TableLine, render_crosstables_in_steps

NAMES = ("Ada", "Bjørnstjerne Bjørnson-Ødegård", "Łukasz", "囲碁", "", "🐎 Eve", "Frida", "Gus", "Hal", "Ida")


def view(count: int, theme: str = "default") -> CrosstableView:
    """Returns a table of that many people, in which everybody has beaten those below."""
    zones = {0: RowZone.UP, count - 1: RowZone.DOWN}
    lines = tuple(
        TableLine(
            str(row + 1),
            NAMES[row],
            tuple(() if row == column else ("1" if row < column else "⅓", "") for column in range(count)),
            f"{count - row}½",
            zones.get(row, RowZone.NONE),
        )
        for row in range(count)
    )
    return CrosstableView(lines, f"Group {theme}", THEMES[theme])


def picture(shown: CrosstableView) -> Image.Image:
    return Image.open(BytesIO(run_steps(render_crosstables_in_steps([shown])))).convert("RGB")


@pytest.mark.parametrize("count", range(2, 11))
def test_every_size_of_group_fits_into_the_picture(count: int) -> None:
    drawn = picture(view(count))
    assert drawn.size == view(count).size
    assert drawn.width == TABLE_WIDTH
    assert drawn.height <= MAX_HEIGHT


@pytest.mark.parametrize("theme", THEMES)
def test_who_goes_up_and_down_is_seen_by_ground_and_sign(theme: str) -> None:
    shown = view(4, theme)
    drawn, row = picture(shown), shown.row_height
    grounds = [drawn.getpixel((TABLE_WIDTH - 120, 16 + row * (number + 1) + 8)) for number in range(4)]
    assert len({*grounds[:1], *grounds[1:3], *grounds[3:]}) >= 3
    assert grounds[0] not in grounds[1:]
    assert grounds[3] not in grounds[:3]
    signs = [drawn.getpixel((36, 16 + row * (number + 1) + row // 2)) for number in range(4)]
    assert signs[0] != grounds[0]
    assert signs[3] != grounds[3]


def test_tables_below_each_other_are_those_that_stand_alone() -> None:
    tables = [view(4), view(3)]
    both, alone = (
        Image.open(BytesIO(run_steps(render_crosstables_in_steps(tables)))).convert("RGB"),
        [picture(one) for one in tables],
    )
    assert both.size == (TABLE_WIDTH, sum(one.height for one in alone))
    assert both.crop((0, 0, *alone[0].size)).tobytes() == alone[0].tobytes()
    assert both.crop((0, alone[0].height, *both.size)).tobytes() == alone[1].tobytes()
