"""Tables of leagues as pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from bot.discordkit.reply import picture_file
from bot.leagues.groups import Group, LeagueGame, Movement, SeatState, format_points, make_crosstable
from bot.leagues.league import WIN
from bot.leagues.words import group_name, row_lines
from bot.play.context import BotContext, MakeFile
from bot.texts.i18n import Language, text
from bot.texts.markup import MAX_ALT_TEXT_LENGTH, cut_plain
from render import DEFAULT_THEME, Theme
from render.crosstable import CrosstableView, RowZone, TableLine, render_crosstables_in_steps

MAX_PICTURES = 10
"""Pictures in one message: Discord's limit."""
UNBEGUN_SIGNS = {WIN: "+", 0: "–"}
"""Signs for a win and a loss without a game; "=" stands for a share."""
_ZONES = {Movement.UP: RowZone.UP, Movement.STAYS: RowZone.NONE, Movement.DOWN: RowZone.DOWN}


async def draw_tables(
    context: BotContext, locale: Language, guild: int, groups: Sequence[Group], theme: Theme = DEFAULT_THEME
) -> list[MakeFile]:
    """Returns the tables of the groups as pictures with their descriptions.

    A message takes ten pictures. If there are more than ten groups, each picture shows two of them, smaller.
    """
    users, files = [user for group in groups for user in group.users_by_entrant], list[MakeFile]()
    names = dict.fromkeys(users, text(locale, "unknown-player")) | await context.names.find_names(guild, users)
    together = -(-len(groups) // MAX_PICTURES)
    for first in range(0, len(groups), together):
        shown = groups[first : first + together]
        views = [view_crosstable(locale, group, names, theme) for group in shown]
        png = await context.pictures.thread.run_steps(render_crosstables_in_steps(views))
        name = f"group-{chr(ord('a') + shown[0].division)}"
        files.append(partial(picture_file, png, name, describe_crosstables(locale, shown, names)))
    return files


def view_crosstable(locale: Language, group: Group, names: Mapping[int, str], theme: Theme) -> CrosstableView:
    """Returns the crosstable of a group; `names` are by user."""
    lines = list[TableLine]()
    for row, cells in zip(group.standings, make_crosstable(group.standings, group.games), strict=True):
        results = tuple(tuple(_write_result(game, row.entrant) for game in cell) for cell in cells)
        points = "" if row.is_out else format_points(row.points)
        has_left = group.seats[row.entrant].state is not SeatState.IN
        lines.append(TableLine(str(row.rank or ""), names[row.user], results, points, _ZONES[row.movement], has_left))
    return CrosstableView(tuple(lines), group_name(locale, group.division), theme)


def _write_result(game: LeagueGame, entrant: int) -> str:
    if game.points is None:
        return ""
    points = game.points_of(entrant)
    return UNBEGUN_SIGNS.get(points, "=") if game.is_unbegun else format_points(points)


def describe_crosstables(locale: Language, groups: Sequence[Group], names: Mapping[int, str]) -> str:
    """Returns the alt text of the picture, at most 1024 characters."""
    texts = [[f"{group_name(locale, one.division)}.", *row_lines(locale, one, names)] for one in groups]
    return cut_plain(" ".join(line for one_text in texts for line in one_text), MAX_ALT_TEXT_LENGTH)
