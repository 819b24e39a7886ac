"""Finished games: the list of somebody's, and each of them at any move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from bot.commands.app import Asker, app
from bot.commands.board import board_file, caption, matches_at, written_board
from bot.commands.options import sees, started, the_match
from bot.kit.components import Button, Menu, button
from bot.kit.errors import Declined
from bot.kit.reply import LONGEST, Interaction, reader
from bot.kit.sheets import ANY, OPENING, TURNING, Sheet, Shown, fitting, leaves, sheet, sheet_menu
from bot.ladder.standings import Played
from bot.match.match import Match, Phase
from bot.match.results import Fate
from bot.posting.turn import review_button
from bot.service import Service
from bot.texts.i18n import Language, text
from bot.texts.sentences import mention, message_url, variant_called
from rules import format_move

GAMES, BOARD = "games", "board"

CHOICES = 25
"""Options of a menu, at most."""


class Link(NamedTuple):
    """A game in a list, and the address of its last board, if it is known."""

    played: Played
    url: str | None


@sheet(GAMES)
async def games(interaction: Interaction, wanted: Sheet) -> Shown:
    """A page of somebody's finished games, of one variant or against somebody if that is asked; and the way into each.

    `wanted.other` is the opponent, 0 for anybody.
    """
    await require_shown(interaction, *(user for user in (wanted.user, wanted.other) if user))
    asker, variant = Asker(interaction), None if wanted.variant == ANY else wanted.variant
    found, pages = await asker.service.profiles.find_history(
        asker.guild, wanted.user, variant, wanted.other or None, wanted.page
    )
    locale = asker.locale
    shown = await visible(interaction, found)
    title, foot = [_title(locale, wanted)], list[str]()
    if not found:
        foot.append(text(locale, "past.empty"))
    elif len(shown) < len(found):
        foot.append(text(locale, "past.private", count=len(found) - len(shown)))
    if pages > 1:
        foot.append(f"-# {text(locale, 'sheet.page', page=wanted.page + 1, pages=pages)}")
    lines = [*title, *played_lines(locale, wanted.user, shown, LONGEST - len("\n".join([*title, *foot])) - 1), *foot]
    return Shown(fitting(lines), [*games_menu(locale, shown), *leaves(locale, wanted, pages)])


@sheet(BOARD)
async def board(interaction: Interaction, wanted: Sheet) -> Shown:
    """The board of a game after `wanted.page` moves, with buttons and a menu to the other moves.

    `wanted.user` is the number of the game. A later move than the last is the last.
    """
    locale = reader(interaction)
    whole = await the_match(interaction, str(wanted.user), "any")
    started(whole)
    ply = min(wanted.page, whole.ply)
    match, before = await matches_at(interaction, whole.id, ply)
    preferences = await Asker(interaction).preferences()
    content, files = caption(locale, match), []
    if preferences.board == "text":
        content += f"\n{written_board(locale, match, before)}"
    else:
        files = [await board_file(interaction, locale, match, before, preferences)]
    if not whole.ply:
        return Shown(content, (), files)
    ways = _ways(locale, wanted._replace(page=ply), whole.ply)
    looks = [button(locale, "replay", match=whole.id), button(locale, "explore", match=whole.id, number=ply)]
    if whole.phase is Phase.OVER:
        looks.append(review_button(locale, whole))
    return Shown(content, [*ways, *looks, _moves_menu(locale, wanted, whole)], files)


async def require_shown(interaction: Interaction, *users: int) -> None:
    """Raises Declined where one of those users does not want to be shown; to whoever is one of them, all are."""
    if interaction.user.id in users:
        return
    for user, person in (await app(interaction).service.people.of(users)).items():
        if not person.settings.public:
            raise Declined("profile.hidden", player=mention(user, reader(interaction)))


async def visible(interaction: Interaction, found: Sequence[Played]) -> list[Link]:
    """Those of the games that the reader may look into: their own, and those whose place they see."""
    asker, shown = Asker(interaction), []
    for played in found:
        match = await asker.service.match(played.match, asker.guild)
        if sees(interaction, match):
            shown.append(Link(played, await address(asker.service, match)))
    return shown


async def address(service: Service, match: Match) -> str | None:
    """The address of a game's last board; None where it is not known."""
    post = (await service.posts(match.id)).turn
    return message_url(match.guild, post) if post else None


def played_lines(locale: Language, user: int, links: Sequence[Link], room: int) -> list[str]:
    """A line for each of those finished games, as it concerns that user.

    Addresses are long: the latest games have theirs, as far as there is room for so many characters.
    """
    lines = [_played_line(locale, user, played, None) for played, _ in links]
    room -= sum(len(line) + 1 for line in lines)
    for number, (played, url) in enumerate(links):
        linked = _played_line(locale, user, played, url)
        room -= len(linked) - len(lines[number])
        if room < 0:
            break
        lines[number] = linked
    return lines


def _played_line(locale: Language, user: int, played: Played, url: str | None) -> str:
    others = [mention(other, locale) for other in played.players if other != user]
    number = f"[#{played.match}]({url})" if url else f"#{played.match}"
    return text(
        locale,
        "past.line",
        number=number,
        at=f"<t:{played.ended_at}:d>",
        variant=variant_called(locale, played.variant),
        ladder=" 🪜" if played.ladder else "",
        others=", ".join(others),
        fate=text(locale, f"past.{played.fate.value}"),
        points=f" ({played.points:+})" if played.points is not None and played.fate is not Fate.NONE else "",
    )


def boards_button(locale: Language, match: Match) -> Button:
    """The button that opens a game's boards at its last move."""
    return OPENING.button("", Sheet(BOARD, match.variant.key, match.id, 0, match.ply), text(locale, "past.boards"))


def _title(locale: Language, wanted: Sheet) -> str:
    title = text(locale, "past.title", player=mention(wanted.user, locale))
    if wanted.variant != ANY:
        title += f" · {text(locale, f'variant.{wanted.variant}')}"
    if wanted.other:
        title += f" · {text(locale, 'past.with', other=mention(wanted.other, locale))}"
    return title


def games_menu(locale: Language, shown: Sequence[Link]) -> list[Menu]:
    """What leads to the last board of each of those games; nothing where there are none."""
    choices = [
        (Sheet(BOARD, one.variant, one.match, 0, 999_999), f"#{one.match} {text(locale, f'variant.{one.variant}')}")
        for one, _ in shown
    ]
    return [sheet_menu(choices, text(locale, "past.choose"), opens=True)] if choices else []


def _ways(locale: Language, shown: Sheet, last: int) -> list[Button]:
    """The buttons to the start, one move back, one forward and to the end, as far as these are other boards."""
    at = shown.page
    ways = (
        ("past.first", 0, at > 1),
        ("past.earlier", at - 1, at > 0),
        ("past.later", at + 1, at < last),
        ("past.last", last, at < last - 1),
    )
    return [TURNING.button("", shown._replace(page=ply), text(locale, key)) for key, ply, differs in ways if differs]


def _moves_menu(locale: Language, shown: Sheet, whole: Match) -> Menu:
    """The moves of the game, or as many of them, evenly spread, as a menu can hold."""
    moves, board = whole.started_game.moves, whole.variant.board
    stride = -(-len(moves) // CHOICES)
    plies = range(len(moves), 0, -stride)
    choices = [(shown._replace(page=ply), f"{ply}. {format_move(moves[ply - 1], board)}") for ply in reversed(plies)]
    return sheet_menu(choices, text(locale, "past.jump"))
