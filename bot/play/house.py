"""House players: their moves, which the engine chooses for one game at a time; and **Fill seats with bots** for the
host, and the first game after the lessons.

The games to move in are read from the store each time. So a stop at any moment loses no turn and plays none twice: a
move is stored only on the board that it was chosen for.
"""

from __future__ import annotations

import asyncio
import random
from contextlib import suppress

import structlog
from discord import SelectOption
from discord.ext import commands

from bot.core.acts import Act, OfferDraw, PlayMove, PromiseHouse, SeatHousePlayers
from bot.core.clock import DAY, HOUR
from bot.core.deadlines import Actor
from bot.core.events import Seating
from bot.core.house_seats import HOUSE_LEVELS, house_level_of, is_house
from bot.core.match import Match, replay_changes
from bot.core.offers import wants_draw
from bot.core.problems import MatchError
from bot.core.table import TableOptions, require_host
from bot.discordkit.components import Family, make_option, menu_nonce, outdated_error, submitted_value
from bot.discordkit.reply import Interaction, make_view, now, send_answer, think_beside, update_message
from bot.play.after_acts import announce_match
from bot.play.announcing.announcer import Announcer
from bot.play.background import compute_beside
from bot.play.caller import caller_of
from bot.play.context import Action, BotContext, GameMenuState
from bot.play.engine import EngineAway, EngineStuck
from bot.play.options import require_known_variant
from bot.play.play import host_table
from bot.store.game_lists import games_awaiting_house
from bot.texts.i18n import Language, plural_text, text
from bot.texts.markup import relative_time
from bot.texts.sentences import duration_text
from engine import levels_of
from rules import Move, some_moves

log = structlog.get_logger()


class HousePlayers(commands.Cog):
    """Moves for all house players, one game at a time."""

    def __init__(self, context: BotContext) -> None:
        self._context = context
        self._play_task: asyncio.Task[None] | None = None

    async def cog_load(self) -> None:
        """Starts; the first look waits for the gateway."""
        self._play_task = asyncio.create_task(self._play_forever())

    async def cog_unload(self) -> None:
        """Stops. A move that is not stored is chosen again after the next start."""
        if self._play_task is not None:
            self._play_task.cancel()
            await asyncio.gather(self._play_task, return_exceptions=True)
        await self._context.engine.close()

    async def _play_forever(self) -> None:
        await self._context.client.wait_until_ready()
        service, interval = self._context.service, self._context.timings.house_look_interval_s
        while True:
            service.house_awaited.clear()
            with service.attempts.contain_failures("house players"):
                await self.play_waiting_games()
            with suppress(TimeoutError):
                await asyncio.wait_for(service.house_awaited.wait(), interval)

    async def play_waiting_games(self) -> None:
        """Moves in the games that wait, until none is left. A game in which the house cannot move is left for the next
        look, so that it does not delay the others; if the engine is away, all are.
        """
        service, failed = self._context.service, set[int]()
        while self._context.is_connected():
            waiting = [game for game in await games_awaiting_house(service.reader) if game[0] not in failed]
            if not waiting:
                return
            match_id, guild = waiting[0]
            failed.add(match_id)
            with service.attempts.contain_failures("moves of house players", match=match_id):
                try:
                    await self._play_in_game(match_id, guild)
                    failed.discard(match_id)
                except EngineAway as error:  # games of people continue; house players move later
                    log.warning("the house does not move", error=str(error))
                    return

    async def _play_in_game(self, match_id: int, guild: int) -> None:
        service = self._context.service
        match = await service.current_match(match_id, guild)
        user = match.to_move
        if user is None or not match.house_to_move:
            return  # the game has changed since the list was read
        act: Act = OfferDraw()  # claims it
        if not match.started_game.claimable_draw or not wants_draw(match, user):
            act = PlayMove(await self._choose_move(match, house_level_of(user)), match.board_version)
        try:  # on the board that the engine thought about only, so no turn is played twice
            after = await service.act(Actor(user, now()), match.id, act)
        except MatchError:  # a move was taken back, or the game has ended: else it would be chosen again and again
            assert (await service.current_match(match.id, match.guild)).seq != match.seq
            return
        if not after.house_to_move:
            self._context.background.start_task(Announcer(self._context).announce_subject(match.id))

    async def _choose_move(self, match: Match, level: str) -> Move:
        """Returns the house player's move, always the same one for the same board. If the engine fails,
        any legal move.
        """
        for tried in (level, HOUSE_LEVELS[0]):  # twice for the lowest level: the machine may have slept
            try:
                return await choose_move(self._context, match, tried)
            except EngineStuck as error:
                log.warning("the engine finds no move", match=match.id, ply=match.ply, strength=tried, error=str(error))
        return random.Random(match.seq).choice(some_moves(match.started_game.position).moves)  # noqa: S311 - a game


async def choose_move(context: BotContext, match: Match, level: str) -> Move:
    """Returns the engine's move at that level, always the same one for the same board. Raises EngineError."""
    seed = match.id * 1000 + match.board_version
    history = await compute_beside(lambda: tuple(replayed.before.position for replayed in replay_changes(match)))
    position = match.started_game.position
    move: Move = await context.engine.ask("choose_move", position, level, seed, history=history, urgent=True)
    return move


# At the table

HOUSE_BUTTONS = Family("rt", Action)

HOUSE_WAITS_S = (HOUR, 6 * HOUR, DAY, 3 * DAY)
"""Seconds after which house players may take the seats that are still free."""

NEVER_OPTION = "never"


HOUSE_MENUS = Family("rt-house", GameMenuState)


@HOUSE_BUTTONS.register_handler("house", first=think_beside)
async def ask_about_house(interaction: Interaction, action: Action) -> None:
    """Asks the host how many house players are to sit down, at which level, and whether now or later."""
    caller = caller_of(interaction)
    match = await caller.service.current_match(action.match, caller.guild)
    require_host(match, caller.actor)
    state = GameMenuState(match.id, menu_nonce(interaction))
    shown = {"sit": _seat_options(caller.locale, match), "later": _later_options(caller.locale, match)}
    menus = [
        HOUSE_MENUS.make_menu(name, state, options, text(caller.locale, f"house.{name}"))
        for name, options in shown.items()
        if options
    ]
    await send_answer(interaction, text(caller.locale, "house.ask", id=match.id), view=make_view(*menus))


@HOUSE_MENUS.register_handler("sit")
async def seat_house(interaction: Interaction, state: GameMenuState) -> None:
    """Seats that many house players now. The last seat starts the game."""
    level, _, count = submitted_value(interaction).partition(":")
    if level not in HOUSE_LEVELS or not count.isdecimal():
        raise outdated_error()
    await interaction.response.defer()
    caller = caller_of(interaction)
    match = await caller.act(state.match, SeatHousePlayers(level, int(count)))
    # Can be fewer than were chosen: somebody may have taken a seat in the meantime.
    bots = sum(map(is_house, match.players or match.table.joined))
    await update_message(interaction, plural_text(caller.locale, "house.seated", bots, id=match.id), view=None)
    await announce_match(interaction, match)


@HOUSE_MENUS.register_handler("later")
async def seat_house_later(interaction: Interaction, state: GameMenuState) -> None:
    """Promises the free seats to house players at a later time, or withdraws the promise."""
    level, _, wait = submitted_value(interaction).partition(":")
    if level != NEVER_OPTION and (level not in HOUSE_LEVELS or not wait.isdecimal() or int(wait) not in HOUSE_WAITS_S):
        raise outdated_error()
    await interaction.response.defer()
    caller = caller_of(interaction)
    until = None if level == NEVER_OPTION else caller.now + int(wait)
    match = await caller.act(state.match, PromiseHouse(level, until))
    key, when = ("not-promised", "") if until is None else ("promised", relative_time(until))
    await update_message(interaction, text(caller.locale, f"house.{key}", id=match.id, when=when), view=None)
    await announce_match(interaction, match)


def _seat_options(locale: Language, match: Match) -> list[SelectOption]:
    return [
        make_option(plural_text(locale, "house.count", count, level=text(locale, f"level.{level}")), f"{level}:{count}")
        for count in range(1, match.free_seats + 1)
        for level in levels_of(match.variant.key)
    ]


def _later_options(locale: Language, match: Match) -> list[SelectOption]:
    # A menu has 25 places.
    levels = {name: text(locale, f"level.{name}") for name in levels_of(match.variant.key) if not name.isdecimal()}
    options = [
        make_option(text(locale, "house.after", wait=duration_text(locale, wait), level=words), f"{level}:{wait}")
        for wait in HOUSE_WAITS_S
        for level, words in levels.items()
    ]
    never = make_option(text(locale, "house.never"), NEVER_OPTION)
    return [*options, never] if match.table.house_promise else options


@HOUSE_BUTTONS.register_handler("first-game")
async def begin_first_game(interaction: Interaction, action: Action) -> None:
    """Starts a game against the weakest house player in this channel, for a person at the end of the lessons."""
    variant = require_known_variant(action.variant)
    # The first seat, as in the lessons.
    await host_table(interaction, (), TableOptions(variant, seating=Seating.JOIN_ORDER, house_level=HOUSE_LEVELS[0]))
