"""`/game openings`: the moves that were played in a position of the server's finished games, and how they scored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import discord
from discord import SelectOption, app_commands
from discord.ext import commands

from bot.core.clock import Pace
from bot.core.events import LARGEST_STORED_INT
from bot.core.listings import MatchSummary
from bot.discordkit.components import (
    Button,
    Family,
    FieldFormat,
    KeyField,
    NonceField,
    given_number,
    make_view,
    menu_nonce,
    outdated_error,
    submitted_value,
)
from bot.discordkit.errors import Declined
from bot.discordkit.reply import Interaction, send_answer, update_message
from bot.discordkit.slash import slash_command
from bot.openings.index import (
    ARCHIVE_SOURCE,
    LADDER_GAMES,
    OPENING_LENGTH,
    OTHER_GAMES,
    SOURCES,
    GameFilter,
    index_position,
)
from bot.openings.line import LINE_PATTERN, NumberedMove, find_moves, follow_line, format_step, line_of_game
from bot.openings.service import OpeningMove, Openings
from bot.openings.words import filter_text, games_text, link_text, moves_text, title_text
from bot.play.app import Caller, app_of, draw_picture, run_heavy, run_heavy_in_steps
from bot.play.history import require_public_profiles
from bot.play.options import VARIANT_CHOICES, require_known_variant
from bot.play.visible_games import may_see
from bot.texts.i18n import Language, text
from bot.texts.markup import escape_markup, one_line
from bot.texts.sentences import colour_name, sides_texts, variant_name
from bot.texts.text_board import text_board
from render import View
from rules import Game, format_move

MOVES_LISTED, MOVES_IN_MENU, GAMES_LISTED = 8, 25, 10
"""The most moves with a number on the board and a line below it, moves in the menu, and games in the list."""

_SOURCE_CODES, _PACE_CODES = SOURCES, ("", *(pace.value for pace in Pace))
_LADDER_CODES = ("", LADDER_GAMES, OTHER_GAMES)


def _read_filter(code: str) -> GameFilter:
    return GameFilter(*(names[int(digit)] for names, digit in zip(_FILTER_CODES, code, strict=True)))


def _write_filter(games: GameFilter) -> str:
    return "".join(str(names.index(name)) for names, name in zip(_FILTER_CODES, games, strict=True))


_FILTER_CODES = (_SOURCE_CODES, _PACE_CODES, _LADDER_CODES)


def _base36(number: int) -> str:
    digits = ""
    while number or not digits:
        number, digit = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return digits


class OpeningState(NamedTuple):
    """A position, as the line that leads to it, and the games that count."""

    variant: KeyField
    line: Annotated[str, FieldFormat(LINE_PATTERN)] = ""
    games: Annotated[GameFilter, FieldFormat(f"[0-2][0-{len(_PACE_CODES) - 1}][0-2]", _read_filter, _write_filter)] = (
        GameFilter()
    )
    user: Annotated[int, FieldFormat("[0-9a-z]{1,13}", lambda code: int(code, 36), _base36)] = 0
    """The person whose games count; 0 for everybody's."""
    fresh: NonceField = ""
    """Used by menus only."""


OPENINGS_FAMILY = Family("rt-op", OpeningState)


class OpeningCommands(commands.Cog):
    """The command for the openings of a server."""

    @slash_command("game openings")
    @app_commands.choices(variant=VARIANT_CHOICES)
    async def openings(self, interaction: Interaction, variant: str, player: discord.User | None = None) -> None:
        """Opens the openings of a variant, from the games of everybody or of one player."""
        state = OpeningState(require_known_variant(variant), user=player.id if player and not player.bot else 0)
        await answer_with_openings(interaction, state)


def opening_buttons(locale: Language, game: Game) -> Sequence[Button]:
    """Returns the button that shows the openings at the game's position, or where they end. Empty if the game has
    another start."""
    if game.origin != game.variant.start_position:
        return ()
    moves = game.moves[: min([OPENING_LENGTH, *(ply for ply, _ in game.leavers)])]
    state = OpeningState(game.variant.key, line_of_game(game.variant.key, moves))
    return (OPENINGS_FAMILY.make_button("open", state, text(locale, "button.openings")),)


@OPENINGS_FAMILY.register_handler("open")
async def answer_with_openings(interaction: Interaction, state: OpeningState) -> None:
    """Shows the openings in a message of their own."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    content, view, files = await _opening_message(interaction, state)
    await send_answer(interaction, content, view=view, files=files)


@OPENINGS_FAMILY.register_handler("look")
@OPENINGS_FAMILY.register_handler("home")
async def go_to_position(interaction: Interaction, state: OpeningState) -> None:
    """Goes to the position of the button."""
    await interaction.response.defer()
    content, view, files = await _opening_message(interaction, state)
    await update_message(interaction, content, view=view, files=files)


@OPENINGS_FAMILY.register_handler("go")
async def go_to_move(interaction: Interaction, state: OpeningState) -> None:
    """Goes to the position after the chosen move."""
    value = submitted_value(interaction)
    if len(value) != 2 or not value.isascii() or not value.isalnum() or len(state.line) >= 2 * OPENING_LENGTH:
        raise outdated_error()
    await go_to_position(interaction, state._replace(line=state.line + value))


@OPENINGS_FAMILY.register_handler("what")
async def choose_games(interaction: Interaction, state: OpeningState) -> None:
    """Counts the chosen kind of games from now on."""
    chosen = _filter_choices(state).get(submitted_value(interaction))
    if chosen is None:
        raise outdated_error()
    await go_to_position(interaction, chosen)


@OPENINGS_FAMILY.register_handler("who")
async def choose_player(interaction: Interaction, state: OpeningState) -> None:
    """Counts the games of the chosen person."""
    games = state.games if state.games.source != ARCHIVE_SOURCE else GameFilter()
    await go_to_position(interaction, state._replace(user=given_number(interaction), games=games))


@OPENINGS_FAMILY.register_handler("list")
async def list_games(interaction: Interaction, state: OpeningState) -> None:
    """Lists the latest games that had the position, in a message of its own."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    caller = Caller(interaction)
    game = await _require_open_position(interaction, state)
    indexed = await run_heavy(interaction, index_position, game.position)
    played = await caller.part(Openings).latest_games(caller.guild, indexed, state.games, state.user, GAMES_LISTED)
    summaries = await _visible_games(interaction, [opened.match for opened in played])
    found = await run_heavy_in_steps(
        interaction, find_moves(game.position, indexed, {opened.move for opened in played})
    )
    lines = []
    for opened in played:
        players = ""
        if opened.match < 0:
            players = escape_markup(
                one_line((await caller.service.archive.archived_game(caller.guild, -opened.match)).players)
            )
        lines.append((opened, summaries.get(opened.match), players))
    names = {name: numbered.move for name, numbered in found.items()}
    await send_answer(interaction, games_text(caller.locale, lines, names))


async def _require_open_position(interaction: Interaction, state: OpeningState) -> Game:
    """Returns the game at that position.

    Raises Declined if the server has no openings, or if the player whose games count hides their profile. Raises
    MatchError if a running game closes the position.
    """
    caller = Caller(interaction)
    if not 0 <= state.user <= LARGEST_STORED_INT:
        raise outdated_error()
    if not app_of(interaction).servers.settings_of(caller.guild).openings:
        raise Declined("openings.closed")
    if state.user:
        await require_public_profiles(interaction, state.user)
    game = await run_heavy_in_steps(interaction, follow_line(require_known_variant(state.variant), state.line))
    if game is None:
        raise outdated_error()
    await caller.part(Openings).require_unplayed(caller.user, game.position)
    return game


async def _opening_message(
    interaction: Interaction, state: OpeningState
) -> tuple[str, discord.ui.View, list[discord.File]]:
    """Returns the position with the moves that were played in it."""
    game = await _require_open_position(interaction, state)
    caller, position = Caller(interaction), game.position
    locale, openings = caller.locale, caller.part(Openings)
    moves, more = list[tuple[OpeningMove, NumberedMove]](), 0
    indexed = await run_heavy(interaction, index_position, position)
    if game.outcome is None and len(game.moves) < OPENING_LENGTH:
        made = await openings.moves_at(caller.guild, indexed, state.games, state.user)
        by_name = await run_heavy_in_steps(interaction, find_moves(position, indexed, {move.name for move in made}))
        moves = [(move, by_name[move.name]) for move in made if move.name in by_name]
        more = max(0, len(moves) - MOVES_LISTED)
    listed = moves[:MOVES_LISTED]
    last = [
        await openings.game_with_move(caller.guild, indexed, move, state.games) if not state.user else None
        for move, _ in listed
    ]
    summaries = await _visible_games(interaction, [match for match in last if match])
    links = [link_text(locale, match, summaries.get(match or 0)) for match in last]
    content = "\n".join(
        [
            title_text(locale, game, state.games, state.user),
            moves_text(locale, position, [(made, numbered.move) for made, numbered in listed], links, more),
        ]
    )
    preferences, files = await caller.load_preferences(), list[discord.File]()
    if preferences.board == "text":
        board = text_board(locale, position, over=game.outcome is not None)
        content = f"{content}\n{board}" if len(content) + len(board) < 2000 else content
    else:
        bottom = position.variant.seats[0]
        view = View(
            position, bottom, chain=tuple((position, numbered.move) for _, numbered in listed), to_move=not game.outcome
        )
        words = [f"{variant_name(locale, position.variant)}.", *sides_texts(locale, position)]
        if game.outcome is None:
            colour = colour_name(locale, position.variant, position.turn)
            words.insert(1, text(locale, "alt.to-move", colour=colour))
        files = [await draw_picture(interaction, view, preferences, f"openings-{len(game.moves)}", " ".join(words))]
    return content, make_view(*_items(interaction, locale, state, game, moves)), files


def _items(
    interaction: Interaction,
    locale: Language,
    state: OpeningState,
    game: Game,
    moves: Sequence[tuple[OpeningMove, NumberedMove]],
) -> list[discord.ui.Item[discord.ui.View]]:
    """Returns the menus of moves, games and players, and the buttons."""
    fresh = state._replace(fresh=menu_nonce(interaction))
    items: list[discord.ui.Item[discord.ui.View]] = []
    options = []
    for number, (_, (move, place)) in enumerate(moves[:MOVES_IN_MENU], 1):
        if step := format_step(place):
            options.append(SelectOption(label=f"{number}. {format_move(move, game.variant.board)}"[:100], value=step))
    if options:
        items.append(OPENINGS_FAMILY.make_menu("go", fresh, options, text(locale, "openings.menu.go")))
    what = [
        SelectOption(label=_choice_label(locale, value, chosen)[:100], value=value)
        for value, chosen in _filter_choices(state).items()
    ]
    items.append(OPENINGS_FAMILY.make_menu("what", fresh, what, text(locale, "openings.menu.what")))
    who = OPENINGS_FAMILY.make_user_menu("who", fresh)
    who.placeholder = text(locale, "openings.menu.who")
    items.append(who)
    for name, line, label in (("home", "", "explore-start"), ("look", state.line[:-2], "explore-earlier")):
        button = OPENINGS_FAMILY.make_button(name, state._replace(line=line, fresh=""), text(locale, f"button.{label}"))
        button.disabled = not state.line
        items.append(button)
    if moves:
        items.append(
            OPENINGS_FAMILY.make_button("list", state._replace(fresh=""), text(locale, "button.openings-games"))
        )
    return items


def _filter_choices(state: OpeningState) -> dict[str, OpeningState]:
    """Returns the choices of the menu of games. Each changes one thing; none leaves that choice as it is."""
    games = state.games
    changed = {f"source-{source}": state._replace(games=GameFilter(source)) for source in SOURCES}
    if games.source != ARCHIVE_SOURCE:
        for pace in _PACE_CODES:
            changed[f"pace-{pace}"] = state._replace(games=games._replace(pace=pace))
        for ladder in _LADDER_CODES:
            changed[f"ladder-{ladder}"] = state._replace(games=games._replace(ladder=ladder))
        changed["everybody"] = state._replace(user=0)
    return {name: choice._replace(fresh="") for name, choice in changed.items() if choice[2:4] != state[2:4]}


def _choice_label(locale: Language, value: str, chosen: OpeningState) -> str:
    """Returns the label of a choice of that menu: the thing that it changes."""
    subject, _, name = value.partition("-")
    if subject == "source":
        return filter_text(locale, chosen.games, 0)
    if subject == "pace":
        return text(locale, f"choice.pace.{name}") if name else text(locale, "openings.any-pace")
    if subject == "ladder":
        return text(locale, f"openings.only.{name}") if name else text(locale, "openings.any-ladder")
    return text(locale, "openings.everybody")


async def _visible_games(interaction: Interaction, match_ids: Sequence[int]) -> dict[int, MatchSummary]:
    """Returns the games among these that the reader may see, by number."""
    caller = Caller(interaction)
    summaries = await caller.part(Openings).load_summaries(caller.guild, [match for match in match_ids if match > 0])
    return {summary.id: summary for summary in summaries if may_see(interaction, summary)}
