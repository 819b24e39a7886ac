"""Finished games: a list for each person, and the board of each game after any move."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from bot.core.listings import HistoryGame
from bot.core.match import Match, Phase
from bot.core.problems import MatchError
from bot.core.results import PlayerOutcome
from bot.discordkit.components import Button, Menu
from bot.discordkit.errors import Declined
from bot.discordkit.reply import Controls, Interaction, Row, RowList, reader_language
from bot.play.board import board_caption, board_file, matches_at, written_board
from bot.play.caller import Caller, context_of
from bot.play.context import ButtonPlace, Ended, Feature, feature_buttons, feature_notes
from bot.play.options import find_meant_match, may_see, require_started_game
from bot.play.service import Service
from bot.play.service.games import find_games
from bot.play.service.people import people_of
from bot.play.shared_components import action_button
from bot.play.sheets import (
    ANY_VARIANT,
    OPEN_BUTTONS,
    Sheet,
    SheetContent,
    draws_sheets,
    page_buttons,
    sheet_menu,
)
from bot.texts.i18n import Language, text
from bot.texts.people import mention_user
from bot.texts.sentences import message_url, numbered_moves, variant_called

GAMES_SHEET, BOARD_SHEET = "games", "board"

MAX_MENU_MOVES = 25
"""Options in one menu."""


class LinkedGame(NamedTuple):
    """A game in a list, and the address of its last board, if known."""

    played: HistoryGame
    url: str | None


@draws_sheets(GAMES_SHEET)
async def show_games(interaction: Interaction, request: Sheet) -> RowList:
    """Returns a page of a person's finished games, filtered by variant or opponent if wanted, each with a button to
    its boards.

    `request.other` is the opponent, 0 for anybody.
    """
    await require_public_profiles(interaction, *(user for user in (request.user, request.other) if user))
    caller, variant = Caller(interaction), None if request.variant == ANY_VARIANT else request.variant
    page = await find_games(caller.service, caller.guild, request.user, variant, request.other or None, request.page)
    locale = caller.locale
    visible_links = await visible_games(interaction, page.items)
    footer = [page.footer(locale)]
    if not page.items:
        footer.insert(0, text(locale, "past.empty"))
    elif len(visible_links) < len(page.items):
        footer.insert(0, text(locale, "past.private", count=len(page.items) - len(visible_links)))
    rows = [
        Row(_played_line(locale, request.user, played, url), _last_board_button(locale, played))
        for played, url in visible_links
    ]
    foot = "\n".join(filter(None, footer))
    buttons = page_buttons(locale, request._replace(page=page.number), page.pages)
    return RowList(_list_title(locale, request), rows, foot, buttons)


def _last_board_button(locale: Language, played: HistoryGame) -> Button:
    last_board = Sheet(BOARD_SHEET, played.variant, played.match, 0, 999_999)
    return OPEN_BUTTONS.make_button("", last_board, text(locale, "games.look"))


@draws_sheets(BOARD_SHEET)
async def show_game_board(interaction: Interaction, request: Sheet) -> SheetContent:
    """Returns the board of a game after `request.page` moves, with buttons and a menu to the other moves.

    `request.user` is the number of the game. A page beyond the last move shows the last board.
    """
    locale = reader_language(interaction)
    last_match = await find_meant_match(interaction, str(request.user), "any")
    require_started_game(last_match)
    ply = min(request.page, last_match.ply)
    match, before = await matches_at(interaction, last_match.id, ply)
    settings = await Caller(interaction).load_settings()
    content, files = board_caption(locale, match), []
    if settings.board == "text":
        bottom = settings.bottom_seat(match.variant, match.seat_of(interaction.user.id))
        content += f"\n{written_board(locale, match, before, bottom)}"
    else:
        files = [await board_file(interaction, locale, match, before, settings)]
    if not last_match.ply:
        return SheetContent(content, (), files)
    context, results = context_of(interaction), list[Button]()
    if last_match.phase is Phase.OVER:
        results += (await feature_notes(context, locale, Ended(last_match))).buttons
    controls = board_controls(context.features, locale, match, last_match)
    return SheetContent(content, [*controls, *results, _moves_menu(locale, request, last_match)], files)


def board_controls(features: Sequence[Feature], locale: Language, match: Match, last_match: Match) -> Controls:
    """Returns the buttons below the board of a game after some moves, given also the game as it is now."""
    shown = Sheet(BOARD_SHEET, match.variant.key, match.id, page=match.ply)
    is_over = last_match.phase is Phase.OVER
    return [
        page_buttons(locale, shown, last_match.ply + 1),
        action_button(locale, "replay", match=match.id),
        *feature_buttons(features, locale, match, ButtonPlace.BOARD),
        *(feature_buttons(features, locale, last_match, ButtonPlace.END) if is_over else ()),
    ]


async def require_public_profiles(interaction: Interaction, *users: int) -> None:
    """Raises Declined if one of those users hides their profile. They themselves may always see it."""
    if interaction.user.id in users:
        return
    for user, person in (await people_of(context_of(interaction).service, users)).items():
        if not person.settings.public:
            raise Declined("profile.hidden", player=mention_user(user, reader_language(interaction)))


async def visible_games(interaction: Interaction, finished: Sequence[HistoryGame]) -> list[LinkedGame]:
    """Returns those of the games that the reader may see: their own, and those whose place they can see."""
    caller, links = Caller(interaction), []
    for played in finished:
        with suppress(MatchError):  # this version cannot read it, or it has been deleted since
            match = await caller.service.current_match(played.match, caller.guild)
            if may_see(interaction, match):
                links.append(LinkedGame(played, await board_address(caller.service, match)))
    return links


async def board_address(service: Service, match: Match) -> str | None:
    """Returns the address of a game's last board; None if unknown."""
    post = (await service.reader.load_posts(match.id)).turn
    return message_url(match.guild, post) if post else None


def played_lines(locale: Language, user: int, links: Sequence[LinkedGame], room: int) -> list[str]:
    """Returns a line for each of those finished games, from that user's point of view.

    Addresses are long: only the latest games have theirs, as far as `room` characters allow.
    """
    lines = [f"- {_played_line(locale, user, played, None)}" for played, _ in links]
    room -= sum(len(line) + 1 for line in lines)
    for number, (played, url) in enumerate(links):
        linked = f"- {_played_line(locale, user, played, url)}"
        room -= len(linked) - len(lines[number])
        if room < 0:
            break
        lines[number] = linked
    return lines


def _played_line(locale: Language, user: int, played: HistoryGame, url: str | None) -> str:
    opponents = [mention_user(other, locale) for other in played.players if other != user]
    number = f"[#{played.match}]({url})" if url else f"#{played.match}"
    return text(
        locale,
        "past.line",
        number=number,
        at=f"<t:{played.ended_at}:d>",
        variant=variant_called(locale, played.variant),
        ladder=" 🪜" if played.ladder else "",
        others=", ".join(opponents),
        fate=text(locale, f"past.{played.outcome.value}"),
        points=f" ({played.points:+})"
        if played.points is not None and played.outcome is not PlayerOutcome.NONE
        else "",
    )


def boards_button(locale: Language, match: Match) -> Button:
    """Returns the button that opens a game's boards at its last move."""
    return OPEN_BUTTONS.make_button(
        "", Sheet(BOARD_SHEET, match.variant.key, match.id, 0, match.ply), text(locale, "past.boards")
    )


def _list_title(locale: Language, wanted: Sheet) -> str:
    title = text(locale, "past.title", player=mention_user(wanted.user, locale))
    if wanted.variant != ANY_VARIANT:
        title += f" · {text(locale, f'variant.{wanted.variant}')}"
    if wanted.other:
        title += f" · {text(locale, 'past.with', other=mention_user(wanted.other, locale))}"
    return title


def games_menu(locale: Language, links: Sequence[LinkedGame]) -> list[Menu]:
    """Returns a menu that leads to the last board of each of those games; empty if there are none."""
    choices = [
        (
            Sheet(BOARD_SHEET, link_game.variant, link_game.match, 0, 999_999),
            f"#{link_game.match} {text(locale, f'variant.{link_game.variant}')}",
        )
        for link_game, _ in links
    ]
    return [sheet_menu(choices, text(locale, "past.choose"), opens=True)] if choices else []


def _moves_menu(locale: Language, request: Sheet, match: Match) -> Menu:
    """Returns a menu of the game's moves; evenly spread ones if there are more than fit."""
    moves = numbered_moves(locale, match.started_game)
    stride = -(-len(moves) // MAX_MENU_MOVES)
    plies = range(len(moves), 0, -stride)
    choices = [(request._replace(page=ply), moves[ply - 1]) for ply in reversed(plies)]
    return sheet_menu(choices, text(locale, "past.jump"))
