"""Boards as a person or everybody sees them, as pictures or as text; looking at games, replays, and following a game.

Every answer with a private board is composed here, but for those on which moves are made: see `composer.panel`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from textwrap import shorten
from typing import NamedTuple

import discord
from discord import app_commands

from bot.core.match import Match, find_last_move, replay_changes
from bot.core.problems import Problem
from bot.core.settings import DEFAULT_USER_SETTINGS, UserSettings
from bot.discordkit.components import Family
from bot.discordkit.reply import (
    Interaction,
    acknowledge_press,
    make_attachment,
    make_view,
    picture_file,
    reader_language,
    send_answer,
    think_beside,
    update_message,
)
from bot.discordkit.slash import slash_command
from bot.play.announcing.telling import vacancy_text
from bot.play.background import compute_beside
from bot.play.caller import caller_of, defer_board, public_language, run_heavy, run_heavy_in_steps, run_in_turn
from bot.play.context import Action, ButtonPlace, RemarkPlace, action_button, feature_buttons
from bot.play.options import (
    find_meant_match,
    find_ply,
    find_visible_match,
    load_match_here,
    parse_game_number,
    suggest_all_games,
    suggest_games_to_follow,
    suggest_turns,
)
from bot.play.service.people import follow_match, unfollow_match
from bot.texts.i18n import Language, text
from bot.texts.markup import MAX_ALT_TEXT_LENGTH
from bot.texts.sentences import (
    clock_lines,
    colour_names,
    ending_sentence,
    game_alt_text,
    moment_phrase,
    text_board,
    titled_name,
    turn_names,
    variant_name,
)
from render import THEMES, Theme, View
from render.replay import Replay, ReplayPly, render_gif_in_steps
from rules import Seat, format_move
from rules.record import move_numbers

BOARD_BUTTONS = Family("rt", Action)


class Viewer(NamedTuple):
    """A person who is shown a board, or everybody in a server, by their language and settings."""

    locale: Language
    settings: UserSettings


async def viewer_of(interaction: Interaction, *, public: bool = False) -> Viewer:
    """Returns the person who asked; with `public`, everybody."""
    if public:
        return Viewer(public_language(interaction), DEFAULT_USER_SETTINGS)
    return Viewer(reader_language(interaction), await caller_of(interaction).load_settings())


async def add_board(
    interaction: Interaction, viewer: Viewer, words: str, view: View, name: str, alt: str
) -> tuple[str, list[discord.File]]:
    """Returns an answer of these words and that view as the viewer likes boards: as text below them, or as a picture
    with the alt text `alt`.
    """
    if written := written_board(*viewer, view):
        return f"{words}\n{written}".lstrip(), []
    return words, [await draw_picture(interaction, viewer.settings, view, name, alt)]


def written_board(locale: Language, settings: UserSettings, view: View) -> str:
    """Returns that view as text if these settings ask for text; empty otherwise."""
    return text_board(locale, _as_liked(view, settings)) if settings.reads_text else ""


async def draw_picture(
    interaction: Interaction, settings: UserSettings, view: View, name: str, alt: str
) -> discord.File:
    """Returns the picture of that view with these settings: a reader's is turned to them, if they want that."""
    drawn = caller_of(interaction).context.pictures.draw_board(_as_liked(view, settings))
    return picture_file(await run_in_turn(interaction, drawn), name, alt)


def _as_liked(view: View, settings: UserSettings) -> View:
    bottom = view.bottom if view.reader is None else settings.bottom_seat(view.position.variant, view.reader)
    return replace(view, theme=THEMES[settings.theme], bottom=bottom)


async def show_board(
    interaction: Interaction, match: Match, remark: str = "", *, public: bool = False, as_text: bool | None = None
) -> None:
    """Answers with that board; a private one is that of a viewer who plays in the match.

    `as_text` overrides the viewer's settings, which apply to private boards and not to public ones.
    """
    locale, settings = viewer = await viewer_of(interaction, public=public)
    if as_text is not None:
        viewer = Viewer(locale, replace(settings, board="text" if as_text else settings.theme))
    clock = "\n".join(await _clock_lines_now(interaction, locale, match))
    remarks = "" if public else await match_remarks(interaction, match, RemarkPlace.BOARD)
    words = "\n".join(line for line in (remark, board_caption(locale, match), clock, remarks) if line)
    content, files = await add_match_board(interaction, viewer, words, match, public=public)
    buttons = feature_buttons(caller_of(interaction).context.features, locale, match, ButtonPlace.BOARD)
    await send_answer(interaction, content, files=files, view=None if public else make_view(*buttons))


async def match_remarks(interaction: Interaction, match: Match, place: RemarkPlace) -> str:
    """Returns the remarks of all features on that match; empty if there are none."""
    hooks = [feature.remark for feature in caller_of(interaction).context.features if feature.remark]
    return "\n".join(filter(None, [await remark(interaction, match, place) for remark in hooks]))


async def _clock_lines_now(interaction: Interaction, locale: Language, match: Match) -> list[str]:
    """Returns how the clocks stand; nothing for an earlier board."""
    caller = caller_of(interaction)
    if (await caller.service.current_match(match.id, match.guild)).seq != match.seq:
        return []
    return clock_lines(locale, match, caller.now, await caller.service.players_of(match))


async def add_match_board(
    interaction: Interaction, viewer: Viewer, words: str, match: Match, *, public: bool = False
) -> tuple[str, list[discord.File]]:
    """Returns an answer of these words and the match's board: see `add_board`.

    A player sees the board turned to them if they want that. All others see the boards of a game from its first side,
    and so does everybody on public boards.
    """
    game, (before, move) = match.started_game, await compute_beside(find_last_move, match)
    seat = None if public else match.seat_of(interaction.user.id)
    view = View(game.position, last_move=move, before=before, to_move=game.outcome is None, reader=seat)
    alt = game_alt_text(viewer.locale, match.id, game, before, move)
    return await add_board(interaction, viewer, words, view, f"game-{match.id}-{match.ply}", alt)


def board_caption(locale: Language, match: Match) -> str:
    """Returns the board's game and moment, and who is to move or how the game ended."""
    game = match.started_game
    if game.outcome:
        winners = colour_names(locale, match.variant, game.outcome.winners)
        result_key = ("board.won" if winners else "board.draw") if match.has_result else "board.no-result"
        turn = f"{text(locale, result_key, winners=winners)} {ending_sentence(locale, game)}"
    elif match.vacancy and match.to_move is None:
        turn = vacancy_text(locale, match)
    else:
        turn = text(locale, "alt.to-move", colour=colour_names(locale, match.variant, [game.position.turn]))
    variant, moment = titled_name(locale, match.variant, match.title), moment_phrase(locale, game)
    return text(locale, "board.caption", variant=variant, id=match.id, when=moment, turn=turn)


@slash_command("game follow")
@app_commands.autocomplete(game=suggest_games_to_follow)
async def game_follow_command(interaction: Interaction, game: str | None = None) -> None:
    """Follows a game whose channel the person may see, or stops following it."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    match_id = parse_game_number(game) or (await find_meant_match(interaction, None, "any")).id
    await toggle_follow(interaction, Action(match_id))


@slash_command("game replay")
@app_commands.autocomplete(game=suggest_all_games, turn=suggest_turns)
async def game_replay_command(
    interaction: Interaction, game: str | None = None, turn: str | None = None, public: bool = False
) -> None:
    """Shows the moves of a game, from that turn on, as an animation."""
    match = await find_meant_match(interaction, game, "any")
    begin = None if turn is None else max(1, find_ply(match, turn, first=True))
    await _show_replay(interaction, match, begin, public=public)


@BOARD_BUTTONS.register_handler("follow", first=think_beside)
async def toggle_follow(interaction: Interaction, action: Action) -> None:
    """Follows the game, or stops following it, even if the person may no longer see it."""
    caller = caller_of(interaction)
    if await unfollow_match(caller.service, caller.actor, action.match):
        await send_answer(interaction, text(caller.locale, "follow.ended", id=action.match))
        return
    match = await find_visible_match(interaction, action.match)
    await follow_match(caller.service, caller.actor, match.id, every_move=False)
    buttons = make_view(action_button(caller.locale, "follow-every", match=match.id))
    await send_answer(interaction, _followed_text(caller.locale, match, every_move=False), view=buttons)


@BOARD_BUTTONS.register_handler("follow-every", first=acknowledge_press)
async def follow_every_move(interaction: Interaction, action: Action) -> None:
    """Follows the game at every move."""
    match, caller = await load_match_here(interaction, action.match), caller_of(interaction)
    await follow_match(caller.service, caller.actor, match.id, every_move=True)
    await update_message(interaction, _followed_text(caller.locale, match, every_move=True), view=None)


def _followed_text(locale: Language, match: Match, *, every_move: bool) -> str:
    variant = titled_name(locale, match.variant, match.title)
    return text(locale, "follow.every-move" if every_move else "follow.end", id=match.id, variant=variant)


@BOARD_BUTTONS.register_handler("replay")
async def watch_replay(interaction: Interaction, action: Action) -> None:
    """Shows the whole game, or its end if it is too long, privately."""
    await _show_replay(interaction, await load_match_here(interaction, action.match), None, public=False)


async def _show_replay(interaction: Interaction, match: Match, first: int | None, *, public: bool) -> None:
    match.refuse_if(not match.ply, Problem.NO_MOVES)
    first = first or first_of_last(match)
    locale, settings = await viewer_of(interaction, public=public)
    bottom = settings.bottom_seat(match.variant, None if public else match.seat_of(interaction.user.id))
    await defer_board(interaction, public=public)
    replay = await run_heavy(interaction, make_replay, match, first, bottom, THEMES[settings.theme])
    gif = await run_heavy_in_steps(interaction, render_gif_in_steps(replay))
    last = first + len(replay.plies) - 1
    file = make_attachment(gif, f"game-{match.id}-{first}-{last}.gif", replay_alt_text(locale, match, replay, first))
    variant = variant_name(locale, match.variant)
    turns = turn_names(locale, match.started_game)
    content = text(locale, "replay.caption", variant=variant, id=match.id, first=turns[first - 1], last=turns[last - 1])
    await send_answer(interaction, content, files=[file])


MAX_REPLAY_PLIES = 200
"""Moves in one replay: under a megabyte, and about four minutes of watching."""


def first_of_last(match: Match) -> int:
    """Returns the first move, counted from 1, of the longest replay that shows the last."""
    return max(1, match.ply - MAX_REPLAY_PLIES + 1)


def make_replay(match: Match, first: int, bottom: Seat, theme: Theme) -> Replay:
    """Returns the replay of at most `MAX_REPLAY_PLIES` moves from the move `first` on, counted from 1, seen from that
    seat. A player who leaves between two moves is missing from the second.
    """
    moved = [change for change in replay_changes(match) if change.change.move is not None]
    shown = moved[first - 1 :][:MAX_REPLAY_PLIES]
    plies = [ReplayPly(replayed.after.moves[-1], replayed.after.position) for replayed in shown]
    return Replay(shown[0].before.position, plies, bottom, move_numbers(match.started_game)[first - 1][0], theme)


def replay_alt_text(locale: Language, match: Match, replay: Replay, first: int) -> str:
    """Returns the alt text of a replay from that move on: its moves, as many as fit."""
    turns = turn_names(locale, match.started_game)[first - 1 :]
    words = partial(text, locale, "replay.alt", id=match.id, first=turns[0], last=turns[len(replay.plies) - 1])
    moves = ", ".join(format_move(ply.move, match.variant.board) for ply in replay.plies)
    return words(moves=shorten(moves, MAX_ALT_TEXT_LENGTH - len(words(moves="")), placeholder=" …"))
