"""Options that commands share: which game is meant, and what is suggested while somebody types."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress

import discord
from discord import app_commands

from bot.commands.app import Asker, app
from bot.kit.components import outdated, read_id
from bot.kit.permissions import may_look, require_permissions
from bot.kit.reply import Interaction, here, manages, reader
from bot.kit.slash import choices
from bot.kit.work import note_game
from bot.match.match import Match, Phase
from bot.match.results import Summary
from bot.people.clock import Pace
from bot.people.problems import MatchError, Problem
from bot.service.service import WhichGame
from bot.texts.i18n import Language, text
from bot.texts.sentences import colour, one_line, variant_name
from rules import VARIANTS, Game, suggest

CHOICES = 25
LONGEST_CHOICE = 100

VARIANT_CHOICES = [app_commands.Choice(name=variant.name, value=key) for key, variant in VARIANTS.items()]
PACE_CHOICES = choices("choice.pace", (pace.value for pace in Pace))


def where(interaction: Interaction) -> tuple[int, int]:
    """The server and the channel (or thread) of an interaction. Raises NoPrivateMessage where the bot is in none."""
    guild = here(interaction)
    if guild is None or interaction.channel_id is None:
        raise app_commands.NoPrivateMessage
    return guild, interaction.channel_id


def parent(interaction: Interaction) -> int | None:
    """The channel whose thread this is; None where it is no thread."""
    return interaction.channel.parent_id if isinstance(interaction.channel, discord.Thread) else None


def require_place(interaction: Interaction, *, wants_thread: bool = False) -> None:
    """Raises CannotPost where the bot lacks what a game needs that is played here."""
    assert interaction.channel is not None
    require_permissions(interaction.app_permissions, interaction.channel, wants_thread=wants_thread)


def is_private(interaction: Interaction) -> bool:
    """Whether it comes from a private thread."""
    return isinstance(interaction.channel, discord.Thread) and interaction.channel.is_private()


def is_post(interaction: Interaction) -> bool:
    """Whether it comes from a post of a forum."""
    place = interaction.channel
    return isinstance(place, discord.Thread) and isinstance(place.parent, discord.ForumChannel)


def game_number(typed: str | None) -> int | None:
    """The number of a game as typed or chosen: "12", "#12", or the whole of a suggestion.

    Raises MatchError where it is none.
    """
    if typed is None:
        return None
    found = re.match(r"\s*#?\s*(\d{1,15})\b", typed)
    if not found:
        raise MatchError(Problem.NO_SUCH_GAME)
    return int(found[1])


def require_guest(user: discord.User | discord.Member) -> None:
    """Raises OPPONENT_IS_BOT or NOT_A_MEMBER for one who cannot play here; people are also named by their number."""
    if user.bot:
        raise MatchError(Problem.OPPONENT_IS_BOT)
    if not isinstance(user, discord.Member):
        raise MatchError(Problem.NOT_A_MEMBER, user=user.id)


async def the_match(interaction: Interaction, game: str | None, which: WhichGame) -> Match:
    """The match that a command means: the one named, else the one that the place suggests."""
    guild, channel = where(interaction)
    match_id = game_number(game)
    if match_id is None:
        match_id = await app(interaction).service.which_game(guild, interaction.user.id, channel, which)
    note_game(match_id)
    return await seen_match(interaction, match_id)


async def the_game(interaction: Interaction, game: str | None, which: WhichGame) -> int:
    """The number of the game that a command means."""
    return (await the_match(interaction, game, which)).id


def started(match: Match) -> Game:
    """The game of the match. Raises NOT_STARTED where it has none yet."""
    if match.game is None:
        raise MatchError(Problem.NOT_STARTED, number=match.id)
    return match.game


def known(variant: str) -> str:
    """That variant. Raises NO_SUCH_BUTTON where there is none of the name: buttons may be older than the program."""
    if variant not in VARIANTS:
        raise outdated()
    return variant


async def seen_match(interaction: Interaction, match_id: int) -> Match:
    """The match of that number in this server, as the button of an old message may name it, too.

    Raises NO_SUCH_GAME where the person neither plays in it nor may look into its place.
    """
    asker = Asker(interaction)
    match = await asker.service.match(match_id, asker.guild)
    if not sees(interaction, match):
        raise MatchError(Problem.NO_SUCH_GAME, number=match_id)
    return match


async def require_sight(interaction: Interaction) -> None:
    """Raises NO_SUCH_GAME where a press in a server names a game into whose place the person may not look.

    Where the bot is not, and in direct messages, whoever answers has to ask whose game it is.
    """
    sent = read_id(str(dict(interaction.data or {}).get("custom_id")))
    match_id = getattr(sent.state, "match", 0) if sent else 0
    if match_id and here(interaction) is not None:
        await seen_match(interaction, match_id)


def sees(interaction: Interaction, game: Match | Summary) -> bool:
    """Whether the person plays in that game, or may look into its place: it is as private as that."""
    seated = game.players if isinstance(game, Summary) else game.players or game.joined
    if interaction.user.id in seated or game.where == interaction.channel_id:
        return True
    guild, user = interaction.guild if here(interaction) else None, interaction.user
    return guild is not None and isinstance(user, discord.Member) and may_look(guild, user, game)


async def _meant(interaction: Interaction, which: WhichGame) -> Match | None:
    """The match that a half-typed command means; None where that is none."""
    with suppress(MatchError, app_commands.NoPrivateMessage):
        return await the_match(interaction, interaction.namespace.game, which)
    return None


async def suggest_moves(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Moves that continue what is typed, for the game that waits for this player; name equal to value."""
    match = await _meant(interaction, "waiting")
    if match is None or match.game is None or match.to_move != interaction.user.id:
        return []
    moves = suggest(match.game.position, current, CHOICES, LONGEST_CHOICE)
    return [app_commands.Choice(name=move, value=move) for move in moves]


async def suggest_pieces(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """The player's pieces that may move."""
    pieces = await suggest_moves(interaction, "")
    return [piece for piece in pieces if piece.name.startswith(current.strip().upper())]


async def suggest_cells(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """The cells of the game's board that begin with what is typed; name equal to value."""
    match, begun = await _meant(interaction, "any"), current.strip().upper()
    cells = [name for name in match.variant.board.names if name.startswith(begun)] if match else []
    return [app_commands.Choice(name=name, value=name) for name in cells[:CHOICES]]


async def suggest_games(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """The player's games that are on, those that wait for them first."""
    return await _suggest_games(interaction, current, live=True)


async def suggest_all_games(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """The player's games, those that are on first."""
    return await _suggest_games(interaction, current, live=False)


async def _suggest_games(interaction: Interaction, current: str, *, live: bool) -> list[app_commands.Choice[str]]:
    asker = Asker(interaction)
    return offer(interaction, current, await asker.service.games_of(asker.here, asker.user, live=live))


async def suggest_visible_games(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """The server's games that are on, in places into which the person may look."""
    found = await app(interaction).service.games_at(where(interaction)[0])
    return offer(interaction, current, [game for game in found if sees(interaction, game)])


async def suggest_refereed_games(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """All of the server's games, for those who manage it."""
    if not manages(interaction):
        return []
    return offer(interaction, current, await app(interaction).service.games_at(where(interaction)[0], live=False))


async def suggest_followed_games(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """The games that the person follows; by their numbers alone where their places are hidden."""
    asker = Asker(interaction)
    found = await asker.service.people.followed(asker.guild, asker.user)
    hidden = [f"#{game.id}" for game in found if not sees(interaction, game)]
    return [
        *offer(interaction, current, [game for game in found if sees(interaction, game)]),
        *(app_commands.Choice(name=name, value=name) for name in hidden if current.strip() in name),
    ][:CHOICES]


def offer(interaction: Interaction, current: str, games: Sequence[Summary]) -> list[app_commands.Choice[str]]:
    """Those of the games whose line has what is typed, as suggestions."""
    locale = reader(interaction)
    choices = []
    for summary in games:
        name = _game_name(locale, summary, interaction.user.id)
        if current.strip().lower() in name.lower():
            choices.append(app_commands.Choice(name=name[:LONGEST_CHOICE], value=str(summary.id)))
    return choices[:CHOICES]


def _game_name(locale: Language, summary: Summary, user: int) -> str:
    """A game in a list of suggestions: its number first, because that is what `game_number` reads back."""
    name = variant_name(locale, summary.variant)
    key, mover = ("over" if summary.phase is Phase.OVER else "vacant"), ""
    if summary.to_move is not None:
        key = "own" if summary.to_move == user else "other"
        mover = colour(locale, summary.variant, summary.players.index(summary.to_move))
    return text(
        locale,
        f"game-choice.{key}",
        id=summary.id,
        # Suggestions are shown as they are, so that a title needs no masking.
        variant=f"{name}: {one_line(summary.title)}" if summary.title else name,
        colour=mover,
    )
