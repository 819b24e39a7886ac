"""The Discord client: receives interactions, answers errors, and keeps the commands in sync."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from math import ceil
from typing import Any
from uuid import uuid4

import discord
import structlog
from discord import app_commands
from discord.ext import commands

from bot.core.problems import MatchError, Problem
from bot.core.timings import DEFAULT_TIMINGS, Timings
from bot.discordkit.components import Components, Family, ParsedId, outdated_error
from bot.discordkit.errors import Declined, Explanation, error_sentence, nobody_waits
from bot.discordkit.gateway import is_connected, use_tolerant_gateway
from bot.discordkit.interactions import InteractionTasks, answer_in_time, freeze_garbage_collector, note_outcome
from bot.discordkit.metrics import InteractionOutcome, Metrics
from bot.discordkit.reply import NO_MENTIONS, WAY_ON_KEY, Interaction, now, reader_language, send_answer
from bot.discordkit.requests import (
    NETWORK_ERRORS,
    bypass_gate,
    confirm_losses,
    is_outage,
    pace_requests,
    retry_answers,
    shut_gate,
    watch_for_faults,
)
from bot.discordkit.slash import CatalogueTranslator, KnownCommands, command_numbers, read_known_commands
from bot.discordkit.wall_clock import WALL_CLOCK, WallClock, date_noting_trace
from bot.features import FEATURES, PLAY
from bot.play.announcing.ticker import Places, Ticker
from bot.play.background import Pictures
from bot.play.caller import check_pace, end_turn, failure_sentence
from bot.play.context import BotContext, Feature, declared, every_command, feature_work
from bot.play.options import require_visible_match
from bot.play.service import Service
from bot.store import Store
from bot.texts.i18n import know_commands, text

log = structlog.get_logger()

# The bot does not use voice; without this, discord.py warns about it at every start.
discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False

KNOWN_COMMANDS_KEY = "commands"
"""The store's key for the digest of the commands last sent to Discord, and for Discord's numbers of them."""

SPARE_SESSIONS = 20
"""Sessions kept in reserve out of the thousand a day: for restarted shards, and for the operator's own trials."""

COMPONENT_INTERACTIONS = (discord.InteractionType.component, discord.InteractionType.modal_submit)


class SlashCommandTree(app_commands.CommandTree["RoundTable"]):
    """The slash commands."""

    async def interaction_check(self, interaction: Interaction, /) -> bool:
        """Runs before each command, in the task that will run it."""
        client = self.client
        try:
            return client.take_on_work(interaction) and await client.is_welcome(interaction)
        except Exception as error:  # noqa: BLE001 - discord.py would leave the person without an answer
            await client.answer_error(interaction, error)
            return False

    async def on_error(self, interaction: Interaction, error: app_commands.AppCommandError, /) -> None:
        """Answers an error that a command raised."""
        cause = error.original if isinstance(error, app_commands.CommandInvokeError) else error
        await self.client.answer_error(interaction, cause)


class RoundTable(commands.AutoShardedBot):
    """The bot. Needs no privileged intent, and keeps no messages and no members in memory.

    Always sharded: Discord says how many connections to open, which is one below 2,500 servers.
    """

    def __init__(
        self,
        store: Store,
        pictures: Pictures,
        metrics: Metrics | None = None,
        only_in: Collection[int] | None = None,
        features: Sequence[Feature] = FEATURES,
        timings: Timings = DEFAULT_TIMINGS,
        clock: WallClock = WALL_CLOCK,
    ) -> None:
        self._timings = timings
        self._clock = clock
        self._store = store
        self.metrics = metrics or Metrics()
        self._work = InteractionTasks(self.metrics)
        pacing = watch_for_faults(pace_requests(timings.requests_per_s))
        super().__init__(
            command_prefix=commands.when_mentioned,
            help_command=None,
            tree_cls=SlashCommandTree,
            intents=discord.Intents(guilds=True),
            max_messages=None,
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            allowed_mentions=NO_MENTIONS,
            guild_ready_timeout=timings.servers_ready_wait_s,
            http_trace=date_noting_trace(shut_gate(pacing, lambda: store.unavailable_reason), clock),
        )
        confirm_losses(self.http)
        use_tolerant_gateway()
        self._connection.parsers["READY"] = self._begin_session
        service = Service(store, features, timings=timings)
        self.context = BotContext(self, service, pictures, self.metrics, (PLAY, *features), timings)
        self._components = Components(declared(self.context.features, Family))
        self.context.service.attempts.on_failure = lambda part: self.metrics.count("tick_failures", part)
        store.call_after_outages(
            lambda seconds: self.context.service.presence.note_connection_lost(now(), ceil(seconds))
        )
        self._syncing: asyncio.Task[None] | None = None
        self.has_been_ready = False
        self.act_when_ready: Callable[[RoundTable], None] = lambda _: None
        """Called when the bot is ready for the first time."""
        self.context.allowed_servers = only_in
        self._lost_at: dict[int, float] = {}
        """When each lost connection was lost, on the loop's clock, by shard."""

    async def setup_hook(self) -> None:
        """Runs once, after the login and before the gateway."""
        retry_answers(self._work.note_answered, self._timings)
        await self.tree.set_translator(CatalogueTranslator())
        await self.context.servers.load_all()
        await self.add_all_cogs()
        await self._start_syncing()

    async def add_all_cogs(self) -> None:
        """Adds all commands, and the work that runs by itself."""
        context = self.context
        for command in every_command(context.features):
            self.tree.add_command(command)
        work = (make(context) for make in feature_work(context.features, commands.CogMeta))
        for cog in (Places(context), Ticker(context, self._clock), *work):
            await self.add_cog(cog)

    async def launch_shards(self) -> None:
        """Runs before the gateway. Waits while too few of the day's sessions are left.

        Discord revokes the token of a bot that opens more sessions than granted.
        """
        limits = await self.fetch_session_start_limits()
        while limits.remaining <= SPARE_SESSIONS:
            seconds = limits.reset_after / 1000
            log.error("no session may be begun", remaining=limits.remaining, waits_for=round(seconds))
            await asyncio.sleep(seconds)
            limits = await self.fetch_session_start_limits()
        await super().launch_shards()

    async def on_ready(self) -> None:
        """Fires again after every new session, so it starts nothing."""
        if not self.has_been_ready:
            self.act_when_ready(self)
        self.has_been_ready = True
        freeze_garbage_collector()
        log.info("ready", servers=len(self.guilds))

    async def on_shard_ready(self, _: int) -> None:
        """Handles a new session of one shard among several, which discord.py does not report otherwise."""
        if len(self.shards) > 1 and is_connected(self):
            self.dispatch("ready")

    async def on_shard_disconnect(self, shard: int) -> None:
        """Logs that a connection is lost: once, although discord.py reports each failed attempt to renew it."""
        if shard not in self._lost_at and not self.is_closed():
            self._lost_at[shard] = self.loop.time()
            log.warning("connection to Discord lost", shard=shard)

    async def on_shard_connect(self, shard: int) -> None:
        """Logs that a lost connection is back, with a new session."""
        if (lost_at := self._lost_at.pop(shard, None)) is not None:
            log.warning("connection to Discord is back", shard=shard, away_for=round(self.loop.time() - lost_at))

    async def on_shard_resumed(self, shard: int) -> None:
        """Logs the same for a session that goes on."""
        await self.on_shard_connect(shard)

    def _begin_session(self, ready: Any) -> None:
        """Forgets the servers of the shard's previous session, which may have removed the bot since.

        discord.py 2.7.1 does so only without shards; with shards it would keep counting these servers as reached.
        """
        for guild in [guild for guild in self.guilds if guild.shard_id == ready["shard"][0]]:
            self._connection._remove_guild(guild)
        self._connection.parse_ready(ready)

    async def sync_if_changed(self) -> bool:
        """Sends our commands to Discord unless it was last sent the same ones; True if it then knows them.

        If Discord does not accept them, games continue with the commands that it knows.
        """
        digest = await self.commands_digest()
        try:
            known = read_known_commands(await self.context.service.reader.get_meta(KNOWN_COMMANDS_KEY))
            if known and known.digest == digest:
                know_commands(known.numbers)
                return True
            known = KnownCommands(digest, command_numbers(await self.tree.sync()))
            ours = self.tree.get_commands(type=discord.AppCommandType.chat_input)
            if missing := {command.name for command in ours} - {name.split()[0] for name in known.numbers}:
                raise ValueError(f"without {', '.join(sorted(missing))}")
            know_commands(known.numbers)
            async with self.context.service.store.write_transaction() as tx:
                await tx.set_meta(KNOWN_COMMANDS_KEY, json.dumps(known))
        except Exception as error:  # noqa: BLE001 - an outage, or an answer that is no list of commands
            log.warning("commands not synced", error=repr(error), retry_in=self._timings.sync_retry_s)
            return False
        log.info("commands synced", count=len(self.tree.get_commands()))
        return True

    async def _start_syncing(self) -> None:
        """Sends our commands to Discord; until it accepts them, the attempts continue in the background."""
        first = asyncio.create_task(self.sync_if_changed())
        self._syncing = asyncio.create_task(self._sync_until_taken(first))
        # Not cancelled: cancelled in a pause demanded by Discord, discord.py 2.7.1 delays all later requests.
        done, _ = await asyncio.wait({first}, timeout=self._timings.sync_wait_s)
        if not done:
            log.warning("commands not synced yet", waited=self._timings.sync_wait_s)

    async def _sync_until_taken(self, attempt: asyncio.Task[bool]) -> None:
        while not await attempt:
            await asyncio.sleep(self._timings.sync_retry_s)
            attempt = asyncio.create_task(self.sync_if_changed())

    async def commands_digest(self) -> str:
        """A digest that depends only on the commands, their texts and the application."""
        payload = [
            await command.get_translated_payload(self.tree, self.tree.translator or CatalogueTranslator())
            for command in sorted(self.tree.get_commands(), key=lambda command: command.name)
        ]
        return f"{self.application_id}:{hashlib.sha256(json.dumps(payload, sort_keys=True).encode()).hexdigest()}"

    def take_on_work(self, interaction: Interaction, sent: ParsedId | None = None) -> bool:
        """Whether the current task may answer the interaction; if so, a stop waits for it."""
        self.context.names.learn_names_from(interaction)
        taken, task = self._work.begin_answering(interaction, sent), asyncio.current_task()
        assert task is not None
        task.add_done_callback(lambda _: end_turn(interaction))
        return taken

    async def is_welcome(self, interaction: Interaction) -> bool:
        """True if this process answers the interaction; if not, the person has been answered why.

        Waits while another process may be playing. Raises TOO_OFTEN if the person has done such things too often
        lately.
        """
        loop, is_suggestion = asyncio.get_running_loop(), interaction.type is discord.InteractionType.autocomplete
        asked_at = loop.time()
        while not self._is_sure and loop.time() <= asked_at + self._timings.unsure_wait_s:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.1)
        allowed, guild = self.context.allowed_servers, interaction.guild_id
        if not self._is_sure:
            if not is_suggestion:
                note_outcome(interaction, InteractionOutcome.FAILED)
                with bypass_gate(), suppress(discord.HTTPException, *NETWORK_ERRORS):
                    await send_answer(interaction, text(reader_language(interaction), "storage.away"))
            return False
        if allowed is not None and guild is not None and guild not in allowed:
            if not is_suggestion:
                await self.answer_error(interaction, Declined("failure.other-server"))
            return False
        answer_in_time(interaction, asked_at, self._timings.defer_after_s)
        if not is_suggestion:
            check_pace(interaction)
        return True

    @property
    def _is_sure(self) -> bool:
        """True if things can be stored, and no other process can be playing."""
        return self._store.unavailable_reason is None

    async def close(self) -> None:
        """Finishes the answers in progress, accepts no new ones, and disconnects."""
        if self._syncing is not None:
            self._syncing.cancel()
            await asyncio.gather(self._syncing, return_exceptions=True)
        await self._work.finish_tasks(self._timings.shutdown_grace_s if self._is_sure else 0)
        if self._connection._ready_task is not None:
            # discord.py 2.7.1 lets this task continue in a closed client.
            self._connection._ready_task.cancel()
        await super().close()

    def unhealthy_reason(self) -> str | None:
        """Why the bot does not work; None if it works."""
        if not is_connected(self):
            return "not connected to Discord"
        ticker = self.get_cog(Ticker.__cog_name__)
        if not isinstance(ticker, Ticker) or ticker.seconds_overdue > self._timings.max_tick_delay_s:
            return "the tick has not run"
        if self.context.seconds_late > self._timings.max_board_delay_s:
            return "a board is late"
        return self._clock.trouble or self.context.service.attempts.describe_failures(everywhere=True)

    async def on_interaction(self, interaction: Interaction) -> None:
        """Answers buttons, menus and forms, old ones too. Commands take another path, through the tree."""
        if interaction.type not in COMPONENT_INTERACTIONS:
            return
        try:
            sent = self._components.parse_sent(interaction)
            if self.take_on_work(interaction, sent) and await self.is_welcome(interaction):
                if sent is None:
                    raise outdated_error()
                await require_visible_match(interaction, sent)
                await sent.answer(interaction)
        except Exception as error:  # noqa: BLE001 - the last handler: after any error, the person gets an answer
            await self.answer_error(interaction, error)

    async def on_error(self, event_method: str, /, *args: object, **kwargs: object) -> None:
        """Logs what a listener raises, unless the listener is still running while the bot disconnects."""
        if not self.is_closed():
            await super().on_error(event_method, *args, **kwargs)

    async def answer_error(self, interaction: Interaction, error: BaseException) -> None:
        """Gives one clear private answer. Logs an error that is nobody's mistake first, and quotes its code."""
        code, locale, way_on = uuid4().hex[:8], reader_language(interaction), interaction.extras.get(WAY_ON_KEY)
        sentence = error_sentence(locale, error, declared(self.context.features, Explanation))
        is_expected = sentence is not None or nobody_waits(error)
        if not is_expected:
            log.error("unexpected", code=code, exc_info=error)
        elif is_outage(error):
            log.warning("outage", error=str(error))
        note_outcome(interaction, InteractionOutcome.REFUSED if is_expected else InteractionOutcome.FAILED)
        if isinstance(error, MatchError) and error.problem is Problem.TOO_OFTEN:
            await asyncio.sleep(self._timings.refusal_pause_s)
        try:
            if not nobody_waits(error):
                with bypass_gate():  # so that the person is informed even if the database is the cause
                    await send_answer(interaction, sentence or failure_sentence(locale, error, code), view=way_on)
        except (discord.HTTPException, *NETWORK_ERRORS) as failed:
            # Too late, already answered, or disconnected: nobody can be informed.
            note_outcome(interaction, InteractionOutcome.UNANSWERED)
            log.warning("not answered", code=code, failed=str(failed))
