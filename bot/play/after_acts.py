"""What follows an act: the announcement and the answer to the person, or why their request is refused."""

from __future__ import annotations

import asyncio
from typing import Any

import discord
from discord import ButtonStyle

from bot.core.match import Match
from bot.core.problems import MatchError, Problem
from bot.discordkit.errors import Explanation
from bot.discordkit.permissions import Obstacle, Trouble, trouble_sentence
from bot.discordkit.reply import Interaction, fit_lines, make_view, reader_language, send_answer, update_message
from bot.play.announcing.announcer import Announcer
from bot.play.caller import Caller, caller_of, context_of
from bot.play.context import COMPOSER, ComposerState
from bot.store import StoreError
from bot.texts.i18n import Language, join_list, plural_text, text
from bot.texts.markup import escape_markup, relative_time
from bot.texts.people import mention_user, mention_users
from bot.texts.sentences import explain_rules_error, message_url, variant_name
from rules import Move, RulesError, format_move

MAX_GAMES_NAMED = 5
"""Other waiting games that the answer to a move lists; `/games` lists all of them."""


WaitingGames = tuple[str, discord.ui.View | None]
"""The other games that wait for the person who moved, in a sentence, and the button that opens the next; "" and None if
none waits.
"""


async def confirm_move(interaction: Interaction, match: Match, move: Move, remark: str = "") -> None:
    """Announces a move, and confirms it to its player with the remark: before its post if that takes long. If it cannot
    be posted, the answer says why.
    """
    context, sentence = context_of(interaction), _move_done_text(interaction, match, move)
    announcing = context.background.start_task(Announcer(context).announce_subject(match.id, until_marked=False))
    waiting, view = await find_waiting_games(interaction, match)
    lines = [line for line in (waiting, remark) if line]
    is_over, _ = await asyncio.wait({announcing}, timeout=context.timings.confirm_wait_s)
    if not is_over:
        await update_message(interaction, fit_lines([sentence, *lines]), view=view)
    if trouble := await announcing:
        locale, played = reader_language(interaction), format_move(move, match.variant.board)
        why = unposted_sentence(locale, trouble, match)
        sentence = text(locale, "move.unposted", move=played, id=match.id, why=why)
    elif cached := context.service.cached_match(match.id):  # it may have left its thread, or the move been taken back
        sentence = _move_done_text(interaction, cached.match, move)
    await update_message(interaction, fit_lines([sentence, *lines]), view=view)


async def find_waiting_games(interaction: Interaction, match: Match) -> WaitingGames:
    """Returns the other games in that server that wait for the mover, the earliest deadline first."""
    caller = caller_of(interaction)
    try:
        games = await caller.list_live_games()
    except StoreError:
        return "", None  # the move is stored, and announcing it comes first
    games = [game for game in games if game.to_move == caller.user and game.id != match.id]
    if not games:
        return "", None
    games.sort(key=lambda game: (game.time_runs_out_at is None, game.time_runs_out_at or game.moved_at, game.id))
    key = "move.waiting" if len(games) <= MAX_GAMES_NAMED else "move.waiting-more"
    numbers = ", ".join(f"#{game.id}" for game in games[:MAX_GAMES_NAMED])
    sentence = text(caller.locale, key, games=numbers, count=len(games) - MAX_GAMES_NAMED)
    variant = variant_name(caller.locale, games[0].variant)
    label = text(caller.locale, "button.next-game", id=games[0].id, variant=variant)
    button = COMPOSER.make_button("open", ComposerState(games[0].id, 0), label, ButtonStyle.primary)
    return sentence, make_view(button)


def _move_done_text(interaction: Interaction, match: Match, move: Move) -> str:
    """Returns the sentence that the move is played, with a link to its board if that is elsewhere."""
    played, where = format_move(move, match.variant.board), place_elsewhere(interaction, match).strip()
    return text(reader_language(interaction), "move.done", move=played, id=match.id, where=where).strip()


def place_elsewhere(interaction: Interaction, match: Match) -> str:
    """Returns a sentence with a link to the match's place after a space; empty for a person who is there."""
    place = match.place.thread_or_channel
    here = place == interaction.channel_id
    return "" if here else f" {text(reader_language(interaction), 'move.see', where=f'<#{place}>')}"


async def announce_and_answer(
    interaction: Interaction, match: Match, key: str, view: discord.ui.View | None = None, **values: object
) -> None:
    """Announces the match, then answers with that sentence and, if the news could not be posted, with the reason.

    The sentence is filled with the number of the game and `values`.
    """
    locale = reader_language(interaction)
    content = text(locale, key, id=match.id, **values)
    if trouble := await Announcer(context_of(interaction)).announce_subject(match.id):
        content = f"{content}\n{unposted_sentence(locale, trouble, match)}"
    await send_answer(interaction, content, view=view)


async def announce_begun(caller: Caller, match: Match) -> str:
    """Announces a game that has begun. Returns the way to its board, and no more than that since its post calls the
    players; or why it could not be posted.
    """
    trouble, where = await Announcer(caller.context).announce_subject(match.id), f"<#{match.place.thread_or_channel}>"
    if trouble:
        where = unposted_sentence(caller.locale, trouble, match)
    elif board := (await caller.service.reader.load_posts(match.id)).turn:
        where = text(caller.locale, "time.board", url=message_url(match.guild, board))
    return text(caller.locale, "tables.begun", id=match.id, where=where)


async def announce_match(interaction: Interaction, match: Match) -> None:
    """Announces the match and has its earlier messages edited. Says why if the news could not be posted."""
    if trouble := await Announcer(context_of(interaction)).announce_subject(match.id):
        await send_answer(interaction, unposted_sentence(reader_language(interaction), trouble, match))


def unposted_sentence(locale: Language, trouble: Trouble, match: Match) -> str:
    """Returns the complaint to a player of that match. It offers another place if no permission can open this one."""
    sentence = trouble_sentence(locale, trouble)
    leads_on = trouble.obstacle in (Obstacle.GONE, Obstacle.SHUT, Obstacle.UNINVITED) and match.is_live
    return f"{sentence} {text(locale, 'permission.elsewhere')}" if leads_on else sentence


MAX_ITEMS_LISTED = 10
"""Games, channels or people listed in a sentence; the option's suggestions show the rest."""

COUNTED_PROBLEMS = {
    Problem.NO_SUCH_PLY: "last",
    Problem.OFFER_TOO_SOON: "moves",
    Problem.VACATION_SPENT: "left",
    Problem.TOO_MANY_OPEN: "most",
    Problem.TOO_MANY_HOUSE: "most",
}
"""The problems whose sentence depends on a number, singular or plural, and the name of that number."""


def problem_sentence(locale: Language, error: MatchError) -> str:
    """Returns the reason why a request about a game is refused, in words."""
    values: dict[str, Any] = {name: _value_in_words(locale, name, value) for name, value in error.values.items()}
    if "own" in values:
        values["own"] = text(locale, "games.yours" if values["own"] else "games.yours-none", games=values["own"])
    key = f"problem.{error.problem.value}"
    if error.problem in COUNTED_PROBLEMS:
        return plural_text(locale, key, values.pop(COUNTED_PROBLEMS[error.problem]), **values)
    return text(locale, key, **values)


def _value_in_words(locale: Language, name: str, value: Any) -> object:
    """Returns a value of a refusal as its sentence has it."""
    match name, value:
        case "next" | "host" | "user", int(user):
            return mention_user(user, locale)
        case "again" | "until", int(at):
            return relative_time(at)
        case "zone", str(zone):
            return escape_markup(zone)
        case "channels", [*channels]:
            return join_list(locale, [f"<#{channel}>" for channel in channels[:MAX_ITEMS_LISTED]], "or")
        case "own", [*games]:
            return join_list(locale, [f"#{number} (<#{place}>)" for number, place in games[:MAX_ITEMS_LISTED]])
        case "players", [*users]:
            return join_list(locale, mention_users(locale, users))
        case "candidates", [*games]:
            return join_list(locale, [f"#{game.id}" for game in games[:MAX_ITEMS_LISTED]], "or")
    return value


REFUSED_MOVE = Explanation(RulesError, explain_rules_error)
REFUSED_ACT = Explanation(MatchError, problem_sentence)
