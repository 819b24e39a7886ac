"""The options of commands, and the place where they are used: what they suggest, mean and require; visible games."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import reduce
from itertools import islice
from typing import Annotated, NamedTuple
from urllib.parse import urlencode

import discord
from discord import app_commands
from discord.ui import View

from bot.core.clock import Pace
from bot.core.match import Match, MatchSummary, Phase
from bot.core.problems import MatchError, Problem
from bot.discordkit.components import Family, FieldFormat, ParsedId, outdated_error
from bot.discordkit.errors import Declined
from bot.discordkit.interactions import log_match
from bot.discordkit.permissions import CannotPost, Obstacle, Trouble, is_public_place, require_permissions
from bot.discordkit.reply import WAY_ON_KEY, Interaction, make_view, may_manage_server, reader_language, server_here
from bot.discordkit.slash import localized_choices
from bot.play.caller import caller_of, context_of
from bot.play.context import MatchField
from bot.play.known_servers import may_see_game
from bot.play.service.games import WhichGame, load_meant_match
from bot.store.game_lists import games_in_server
from bot.texts.i18n import LANGUAGES, Language, text
from bot.texts.markup import escape_markup, one_line
from bot.texts.sentences import colour_name, numbered_moves, translate_title, turn_names, variant_name
from rules import VARIANTS, Game, RulesError, suggest_move_texts


async def load_match_here(interaction: Interaction, match_id: int) -> Match:
    """Returns the match of that number in this server. Checks nothing: a press has been checked before its handler."""
    caller = caller_of(interaction)
    return await caller.service.current_match(match_id, caller.guild)


async def find_visible_match(interaction: Interaction, match_id: int) -> Match:
    """Returns the match of that number in this server.

    Raises NO_SUCH_GAME if the person neither plays in it nor may see its place.
    """
    return require_visible(interaction, await load_match_here(interaction, match_id))


def require_visible(interaction: Interaction, match: Match) -> Match:
    """Returns the match. Raises NO_SUCH_GAME if the person neither plays in it nor may see its place."""
    match.refuse_if(not may_see(interaction, match), Problem.NO_SUCH_GAME)
    return match


async def require_visible_match(interaction: Interaction, sent: ParsedId) -> None:
    """Raises NO_SUCH_GAME if a press in a server names a game whose place the person may not see.

    This is the one place at which a press is checked. In direct messages, and in servers that the bot has not joined,
    `load_match_here` finds no game.
    """
    match_id = sent.family.checked_number(sent.state)
    if match_id and server_here(interaction) is not None:
        await find_visible_match(interaction, match_id)


def may_see(interaction: Interaction, game: Match | MatchSummary) -> bool:
    """True if the person plays in that game or may see its place. A game is as private as its place."""
    seated = game.players if isinstance(game, MatchSummary) else game.players or game.table.joined
    if interaction.user.id in seated or game.place.thread_or_channel == interaction.channel_id:
        return True
    guild, user = interaction.guild if server_here(interaction) else None, interaction.user
    return guild is not None and isinstance(user, discord.Member) and may_see_game(guild, user, game)


VARIANT_CHOICES = [app_commands.Choice(name=variant.name, value=key) for key, variant in VARIANTS.items()]
PROPOSED_VARIANT = "camelot"
"""The game that the form proposes at somebody's first table, so that two taps open it: the best-known one."""

PACE_CHOICES = localized_choices("choice.pace", (pace.value for pace in Pace))


def server_and_channel(interaction: Interaction) -> tuple[int, int]:
    """Returns the server and the channel (or thread) of an interaction. Raises NoPrivateMessage if the bot is in no
    server.
    """
    guild = server_here(interaction)
    if guild is None or interaction.channel_id is None:
        raise app_commands.NoPrivateMessage
    return guild, interaction.channel_id


def parent_channel(interaction: Interaction) -> int | None:
    """Returns the channel above this thread; None outside threads."""
    return interaction.channel.parent_id if isinstance(interaction.channel, discord.Thread) else None


def require_manager(interaction: Interaction) -> None:
    """Raises NOT_MANAGER unless the person may manage the server, whatever the server's own command permissions say."""
    MatchError.raise_if(not may_manage_server(interaction), Problem.NOT_MANAGER)


def require_bot_permissions(interaction: Interaction, *, wants_thread: bool = False) -> None:
    """Raises CannotPost if the bot lacks a permission that a game in this place needs."""
    assert interaction.channel is not None
    require_permissions(interaction.app_permissions, interaction.channel, wants_thread=wants_thread)


def is_private_thread(interaction: Interaction) -> bool:
    """True if the interaction comes from a private thread."""
    return isinstance(interaction.channel, discord.Thread) and interaction.channel.is_private()


def is_forum_post(interaction: Interaction) -> bool:
    """True if the interaction comes from a post of a forum."""
    place = interaction.channel
    return isinstance(place, discord.Thread) and isinstance(place.parent, discord.ForumChannel)


def require_public_channel(interaction: Interaction, channel: int) -> None:
    """Raises Declined unless everybody in the server may see the channel, and CannotPost if the bot may not post there.

    People who cannot see all of a ladder's games would have to take its results on trust.
    """
    assert interaction.guild is not None
    place = interaction.guild.get_channel_or_thread(channel)
    if place is None and not (channel == interaction.channel_id and is_private_thread(interaction)):
        raise CannotPost(Trouble(Obstacle.GONE, channel))
    if place is None or not is_public_place(place):
        raise Declined("ladder.private", channel=f"<#{channel}>")
    require_permissions(place.permissions_for(interaction.guild.me), place)


def parse_game_number(typed: str | None) -> int | None:
    """Returns the number of a game as typed or chosen: "12", "#12", or a whole suggestion.

    Raises MatchError if the text is none of these.
    """
    if typed is None:
        return None
    match = re.match(r"\s*#?\s*(\d{1,15})\b", typed)
    if not match:
        raise MatchError(Problem.NO_SUCH_GAME)
    return int(match[1])


def find_ply(match: Match, turn: str, *, first: bool = False) -> int:
    """Returns the number of moves made after that turn of the record: "17 blue", or "17" for the whole round; with
    `first`, after the first move of the round. "0" is the start. Raises Declined for anything else.
    """
    typed = " ".join(re.split("[ .,]+", turn.split(":")[0].casefold())).strip()  # a suggestion goes on with the move
    if typed == "0":
        return 0
    named = [turn_names(locale, require_started_game(match))[:-1] for locale in LANGUAGES]
    wanted = typed if " " in typed else f"{typed} "
    plies = [
        ply
        for names in named
        for ply, name in enumerate(names, 1)
        if name.casefold().replace(",", "").startswith(wanted)
    ]
    if not plies:
        last = named[0][-1] if named[0] else "0"
        raise Declined("failure.no-such-turn", turn=escape_markup(one_line(turn, 40)), last=last)
    return min(plies) if first else max(plies)


def require_player(user: discord.User | discord.Member) -> None:
    """Raises OPPONENT_IS_BOT or NOT_A_MEMBER for a user who cannot play here. A user named by number need not be a
    member.
    """
    MatchError.raise_if(user.bot, Problem.OPPONENT_IS_BOT)
    MatchError.raise_if(not isinstance(user, discord.Member), Problem.NOT_A_MEMBER, user=user.id)


async def find_member(interaction: Interaction, user: int) -> discord.Member:
    """Returns that member of this server. Raises NOT_A_MEMBER, and one of NETWORK_ERRORS if Discord does not answer."""
    context, (guild, _) = context_of(interaction), server_and_channel(interaction)
    # Over the gateway, where no rate limit delays it: the interaction may not have been answered yet.
    members = await asyncio.wait_for(context.names.fetch_members(guild, [user]), context.timings.name_wait_s)
    MatchError.raise_if(user not in members, Problem.NOT_A_MEMBER, user=user)
    return members[user]


async def find_meant_match(interaction: Interaction, game: str | None, which: WhichGame) -> Match:
    """Returns the match that a command means: the named one, else the one that the place suggests.

    If it is one of several, the refusal has a button for each, which uses the command there.
    """
    caller, (_, channel) = caller_of(interaction), server_and_channel(interaction)
    match_id = parse_game_number(game)
    if match_id is not None:
        log_match(match_id)
        return await find_visible_match(interaction, match_id)
    live, is_thread = caller.list_live_games, parent_channel(interaction) is not None
    try:
        match = await load_meant_match(caller.service, caller.actor, channel, which, live, is_thread=is_thread)
    except MatchError as error:
        if error.problem is Problem.WHICH_GAME:
            interaction.extras[WAY_ON_KEY] = _meant_games_view(interaction, error.values["candidates"])
        raise
    log_match(match.id)
    return require_visible(interaction, match)


MAX_OPTIONS_CARRIED = 58
"""Characters of a command's options that fit into a button. With longer ones the game has to be named."""


class MeantGame(NamedTuple):
    """A command that was given without a game, and one that it may have meant."""

    match: MatchField
    command: Annotated[str, FieldFormat("[a-z -]{1,20}")]
    options: Annotated[str, FieldFormat(f"[^:]{{0,{MAX_OPTIONS_CARRIED}}}")]
    """As in the address of a page."""


MEANT_GAME = Family("rt-which", MeantGame)
"""The buttons. `bot.play.info_commands` answers them."""


def _meant_games_view(interaction: Interaction, games: object) -> View | None:
    """Returns a button for each of those games, which uses the command there; None if its options do not fit."""
    assert isinstance(games, list)
    given = {name: value for name, value in interaction.namespace if value is not None}
    options = urlencode({name: "1" * value if value in (True, False) else value for name, value in given.items()})
    fits = len(options) <= MAX_OPTIONS_CARRIED and all(isinstance(value, str | bool) for value in given.values())
    if not (interaction.command and fits):
        return None
    state, locale = MeantGame(0, interaction.command.qualified_name, options), reader_language(interaction)
    shown = [(state._replace(match=game.id), _suggestion_text(locale, game, interaction.user.id)) for game in games]
    return make_view(*(MEANT_GAME.make_button("", *one) for one in shown[:MAX_SUGGESTIONS]))


def require_started_game(match: Match) -> Game:
    """Returns the game of the match. Raises NOT_STARTED if it has not begun."""
    if match.game is None:
        raise MatchError(Problem.NOT_STARTED, number=match.id)
    return match.game


def require_known_variant(variant: str) -> str:
    """Returns the variant if it exists. Raises NO_SUCH_BUTTON otherwise: buttons may be older than the program."""
    if variant not in VARIANTS:
        raise outdated_error()
    return variant


MAX_SUGGESTIONS = 25


MAX_SUGGESTION_LENGTH = 100


async def _match_half_typed(interaction: Interaction, which: WhichGame) -> Match | None:
    """Returns the match that a half-typed command means; None if there is none."""
    with suppress(MatchError, app_commands.NoPrivateMessage):
        return await find_meant_match(interaction, interaction.namespace.game, which)
    return None


def suggest_texts(texts: Iterable[str]) -> list[app_commands.Choice[str]]:
    """Returns as many of these texts as suggestions as Discord takes. Name and value are equal."""
    shown = (one[:MAX_SUGGESTION_LENGTH] for one in islice(texts, MAX_SUGGESTIONS))
    return [app_commands.Choice(name=one, value=one) for one in shown]


async def suggest_moves(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Returns moves that continue the typed text, in the game that waits for this player."""
    match = await _match_half_typed(interaction, "waiting")
    if match is None or match.game is None or match.to_move != interaction.user.id:
        return []
    return suggest_texts(suggest_move_texts(match.game.position, current, MAX_SUGGESTIONS, MAX_SUGGESTION_LENGTH))


async def suggest_lines(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Returns the typed moves, each with a `*` or without, and one more that may follow, in a game of this player."""
    match, words, lines = await _match_half_typed(interaction, "own"), current.split(), list[str]()
    if match is None or match.game is None or len(current) > MAX_SUGGESTION_LENGTH:
        return []
    ways = ((words[:-1], "".join(words[-1:])), (words, ""))  # the last word may be a part of a move, or the whole
    for played, begun in ways[current.rstrip().endswith("*") :]:
        with suppress(RulesError):
            position = reduce(lambda game, word: game.play(word.rstrip("*")), played, match.game).position
            lines += [" ".join([*played, move]) for move in suggest_move_texts(position, begun, MAX_SUGGESTIONS)]
    return suggest_texts(line for line in dict.fromkeys(lines) if len(line) <= MAX_SUGGESTION_LENGTH)


async def suggest_turns(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Returns the turns of the game that begin with the typed text, the latest first."""
    match, typed = await _match_half_typed(interaction, "any"), current.strip().casefold()
    if match is None or match.game is None:
        return []
    turns = numbered_moves(reader_language(interaction), match.game)
    wanted = typed.replace(",", "")
    return suggest_texts(turn for turn in reversed(turns) if turn.casefold().replace(",", "").startswith(wanted))


async def suggest_games(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Returns the player's live games, those waiting for them first."""
    return await _suggest_games(interaction, current, live=True)


async def suggest_all_games(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Returns all of the player's games, live ones first."""
    return await _suggest_games(interaction, current, live=False)


async def _suggest_games(interaction: Interaction, current: str, *, live: bool) -> list[app_commands.Choice[str]]:
    caller = caller_of(interaction)
    games = await caller.service.reader.games_of(caller.guild_or_none, caller.user, live=live)
    return suggest_fitting_games(interaction, current, games)


async def suggest_games_to_follow(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Returns the server's live games in places that the person may see."""
    caller = caller_of(interaction)
    games = await games_in_server(caller.service.reader, caller.guild, live=True)
    return suggest_fitting_games(interaction, current, [game for game in games if may_see(interaction, game)])


async def suggest_refereed_games(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Returns all of the server's games, for people who manage the server."""
    if not may_manage_server(interaction):
        return []
    caller = caller_of(interaction)
    games = await games_in_server(caller.service.reader, caller.guild, live=False)
    return suggest_fitting_games(interaction, current, games)


def suggest_fitting_games(
    interaction: Interaction, current: str, games: Sequence[MatchSummary]
) -> list[app_commands.Choice[str]]:
    """Returns suggestions for those games whose line contains the typed text."""
    named = [(_suggestion_text(reader_language(interaction), game, interaction.user.id), game.id) for game in games]
    fitting = [(name, match_id) for name, match_id in named if current.strip().lower() in name.lower()]
    return [
        app_commands.Choice(name=name[:MAX_SUGGESTION_LENGTH], value=str(match_id))
        for name, match_id in fitting[:MAX_SUGGESTIONS]
    ]


def _suggestion_text(locale: Language, summary: MatchSummary, user: int) -> str:
    """Returns the line of a game in suggestions. The number comes first, because `parse_game_number` reads it back."""
    name = variant_name(locale, summary.variant)
    key, mover = {Phase.OPEN: "open", Phase.LIVE: "vacant"}.get(summary.phase, "over"), ""
    if summary.to_move is not None:
        key = "own" if summary.to_move == user else "other"
        mover = colour_name(locale, summary.variant, summary.players.index(summary.to_move))
    return text(
        locale,
        f"game-choice.{key}",
        id=summary.id,
        # Suggestions show plain text, so the title needs no escaping.
        variant=f"{name}: {one_line(translate_title(locale, summary.title))}" if summary.title else name,
        colour=mover,
    )
