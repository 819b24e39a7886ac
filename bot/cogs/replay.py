"""`/replay`, the button for it below a result, and the button that shares a board with everybody."""

from __future__ import annotations

import io

import discord
from discord import app_commands
from discord.ext import commands

from bot.cogs._answers.buttons import Action, on
from bot.cogs._answers.cooldowns import require_calm
from bot.cogs._answers.options import seen_match, suggest_all_games, the_game, where
from bot.cogs._answers.reply import NOBODY, Press, answer, reader, server
from bot.cogs._answers.translator import words
from bot.cogs._board import board_file, caption, matches_at
from bot.i18n import text
from bot.preferences import Preferences
from bot.problems import MatchError, Problem
from bot.replays import replay_of, replay_words
from bot.words import mention, variant_name
from render import THEMES

Ply = app_commands.Range[int, 1, 100_000]


class Replaying(commands.Cog):
    """Games that are watched once more."""

    @app_commands.command(name="replay", description=words("command.replay.description"))
    @app_commands.describe(
        game=words("command.replay.game"),
        first=words("command.replay.first"),
        last=words("command.replay.last"),
        public=words("command.replay.public"),
    )
    @app_commands.rename(first="from", last="to")
    @app_commands.autocomplete(game=suggest_all_games)
    async def replay(
        self,
        interaction: Press,
        game: str | None = None,
        first: Ply | None = None,
        last: Ply | None = None,
        public: bool = False,
    ) -> None:
        """Show the moves of a game as a moving picture."""
        await _show(interaction, await the_game(interaction, game, "view"), first, last, public=public)


@on("replay")
async def watch(press: Press, action: Action) -> None:
    """Show the whole game to the presser alone."""
    await seen_match(press, action.match)
    await _show(press, action.match, None, None, public=False)


@on("share")
async def share(press: Press, action: Action) -> None:
    """Post the board that the presser sees for everybody, once: the button goes."""
    await seen_match(press, action.match)
    match, before = await matches_at(press, action.match, where(press)[0], action.number)
    if match.game is None:
        raise MatchError(Problem.NOT_STARTED, number=match.id)
    require_calm(press, "board")
    await press.response.edit_message(view=None)
    locale = server(press)
    await press.followup.send(
        caption(locale, match, "share.caption", player=mention(press.user.id, locale)),
        file=await board_file(press, locale, match, before, Preferences()),
        allowed_mentions=NOBODY,
    )


async def _show(interaction: Press, match_id: int, first: int | None, last: int | None, *, public: bool) -> None:
    guild, _ = where(interaction)
    locale = server(interaction) if public else reader(interaction)
    service, user = interaction.client.service, interaction.user.id
    match, events = await service.history(match_id, guild)
    preferences = Preferences() if public else await service.preferences(user)
    seat = match.seat_of(user)
    bottom = match.variant.start.turn if seat is None else seat
    replay = replay_of(match, events, first, last, bottom, THEMES[preferences.theme])
    if public:
        require_calm(interaction, "board")
    # Not before everything is found: what is wrong is said to the asker alone, also where the replay is for all.
    await interaction.response.defer(ephemeral=not public, thinking=True)
    last = replay.first + len(replay.plies) - 1
    gif = await interaction.client.pictures.animate(replay)
    name = f"game-{match.id}-{replay.first}-{last}.gif"
    file = discord.File(io.BytesIO(gif), filename=name, description=replay_words(locale, match, replay))
    variant = variant_name(locale, match.variant)
    content = text(locale, "replay.caption", variant=variant, id=match.id, first=replay.first, last=last)
    if public:
        await interaction.edit_original_response(content=content, attachments=[file], allowed_mentions=NOBODY)
    else:
        await answer(interaction, content, files=[file])
