"""The Discord client: takes interactions on, answers errors, and keeps the commands in sync."""

from __future__ import annotations

import asyncio
import gc
import hashlib
import json
from collections.abc import Collection
from contextlib import suppress
from math import ceil
from typing import Any, NamedTuple
from uuid import uuid4

import discord
import structlog
from discord import app_commands
from discord.ext import commands

from bot.commands import every_command
from bot.commands.app import build, end_turn
from bot.commands.options import require_sight
from bot.kit.components import respond_to
from bot.kit.errors import Declined, explain, is_known
from bot.kit.gate import guarded, opened
from bot.kit.gateway import contain_bad_events
from bot.kit.metrics import Metrics, Outcome
from bot.kit.pace import paced
from bot.kit.pictures import Pictures
from bot.kit.reply import NO_MENTIONS, Interaction, answer, now, reader
from bot.kit.slash import CatalogueTranslator, numbers
from bot.kit.steady import BROKEN, is_outage, steady_answers, watched
from bot.kit.unknown import tell_unknown
from bot.kit.wall_clock import WALL_CLOCK, hear_dates
from bot.kit.work import Work, note_outcome
from bot.posting.elsewhere import hear
from bot.posting.house import HousePlayers
from bot.posting.places import Places
from bot.posting.ticker import Ticker
from bot.posting.welcome import Welcomes
from bot.service import Service
from bot.store import Lease, Store, StoreError
from bot.texts.i18n import know_commands, text

log = structlog.get_logger()

# Nobody speaks here; without this discord.py warns at every start that voice is not supported.
discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False

KNOWN_COMMANDS = "commands"
"""Where the store notes the digest of the commands that Discord was told last, and by which numbers it knows them."""

SYNC_PATIENCE = 30
"""Seconds for which a start waits until Discord has taken the commands; it may ask for a rest of hours before."""

SYNC_AGAIN = 120
"""Seconds until it is told them again where it has not taken them."""

LATE = 120
"""Seconds by which the tick may be late without anybody being called for help."""

SPARE = 20
"""Of the thousand sessions a day so many are left alone: shards that are opened, and the operator's own trials."""

VERIFY_FROM, VERIFY_BY = 75, 100
"""The number of servers from which Discord verifies an app, and the most that one not verified may join."""

GRACE = 5
"""Seconds for which a stop waits for the answers that are under way."""

UNSURE = 2.0
"""Seconds for which an interaction waits for a worker that is not sure of its shards. If it is another one's by then,
that one has told Discord so: see `PATIENCE` in `bot.kit.reply`."""

ANSWERED_HERE = (discord.InteractionType.component, discord.InteractionType.modal_submit)


class KnownCommands(NamedTuple):
    """The commands that Discord knows: those it was told last."""

    digest: str
    numbers: dict[str, int]
    """Discord's numbers of them by their names."""


def read_known_commands(noted: str | None) -> KnownCommands | None:
    """What the store has noted of them; None if nothing, or nothing that this version can read."""
    try:
        digest, found = json.loads(noted or "")
        return KnownCommands(str(digest), {str(name): int(number) for name, number in found.items()})
    except (ValueError, TypeError, AttributeError):
        return None


class Tree(app_commands.CommandTree["RoundTable"]):
    """The slash commands."""

    async def interaction_check(self, interaction: Interaction, /) -> bool:
        """Called before each command, in the task that will run it."""
        client = self.client
        try:
            return client.take_on_work(interaction) and await client.is_welcome(interaction)
        except Exception as error:  # noqa: BLE001 - discord.py would leave the person without an answer
            await client.answer_error(interaction, error)
            return False

    async def on_error(self, interaction: Interaction, error: app_commands.AppCommandError, /) -> None:
        """Answer an error that a command raised."""
        cause = error.original if isinstance(error, app_commands.CommandInvokeError) else error
        await self.client.answer_error(interaction, cause)


class RoundTable(commands.AutoShardedBot):
    """The bot. Needs no privileged intent and keeps no messages and no members in memory.

    Sharded from the first day: Discord says how many connections there are to be, which is one below 2,500 servers.
    """

    def __init__(
        self,
        store: Store,
        pictures: Pictures,
        metrics: Metrics | None = None,
        only_in: Collection[int] | None = None,
        lease: Lease | None = None,
    ) -> None:
        self._lease = lease = lease or Lease()
        self._buckets = 1
        self.metrics = metrics or Metrics()
        self._work = Work(self.metrics)
        super().__init__(
            command_prefix=commands.when_mentioned,
            help_command=None,
            tree_cls=Tree,
            intents=discord.Intents(guilds=True),
            max_messages=None,
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            allowed_mentions=NO_MENTIONS,
            http_trace=hear_dates(guarded(watched(paced(lease.share.part)), lambda: lease.sure)),
        )
        if lease.apart:
            self.shard_ids, self.shard_count = sorted(lease.share.own), lease.share.count
        contain_bad_events()
        self._connection.parsers["READY"] = self._begin_session
        self.app = build(self, Service(store), pictures, self.metrics)
        self.app.service.attempts.count = self.metrics.failed
        lease.heard = self._hear
        lease.lapsed = lambda seconds: self.app.service.presence.lose(now(), ceil(seconds))
        self._syncing: asyncio.Task[None] | None = None
        self.has_been_ready = False
        self._only_in = only_in
        self._minded = 0

    async def setup_hook(self) -> None:
        """Runs once, after the login and before the gateway."""
        assert self.application_id is not None
        steady_answers(self.application_id, self._work.answered)
        await self.tree.set_translator(CatalogueTranslator())
        await self.app.servers.load()
        await self.add_all_cogs()
        await self._begin_to_sync()

    async def add_all_cogs(self) -> None:
        """Add every command, and what works by itself."""
        announcer, connected = self.app.announcer, lambda: self.is_connected and self._lease.sure
        for command in every_command():
            self.tree.add_command(command)
        places, welcomes = Places(self.app, announcer.announce, connected), Welcomes(self.app, self._only_in)
        ticker = Ticker(self.app, announcer, self.app.ladder_announcer, places, connected)
        house = HousePlayers(self.app, self.app.engine, announcer.announce, connected)
        for cog in (places, welcomes, ticker, house):
            await self.add_cog(cog)

    async def launch_shards(self) -> None:
        """Runs before the gateway. Waits while too few of the day's sessions are left.

        One more than Discord grants, and it takes the token away.
        """
        limits = await self.fetch_session_start_limits()
        while limits.remaining <= SPARE:
            seconds = limits.reset_after / 1000
            log.error("no session may be begun", remaining=limits.remaining, waits_for=round(seconds))
            await asyncio.sleep(seconds)
            limits = await self.fetch_session_start_limits()
        self._buckets = limits.max_concurrency
        await super().launch_shards()

    def _hear(self, said: str) -> None:
        self.app.errands.begin(hear(self.app, self.app.announcer, said))

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Runs before each new session: Discord takes one in five seconds, whichever worker begins it."""
        if self._lease.apart:
            await self._lease.take_turn((shard_id or 0) % self._buckets)
        else:
            await super().before_identify_hook(shard_id, initial=initial)

    async def on_ready(self) -> None:
        """Fires again after every new session, so it starts nothing."""
        self.has_been_ready = True
        _set_servers_aside()
        log.info("ready", servers=len(self.guilds))
        self._mind_the_limit()

    async def on_shard_ready(self, _: int) -> None:
        """A new session of one shard among several is news as well, of which discord.py says nothing more."""
        if len(self.shards) > 1 and self.is_connected:
            self.dispatch("ready")

    def _begin_session(self, ready: Any) -> None:
        """Forget the servers of that shard's session before, which may have removed the bot since.

        discord.py 2.7.1 does so only where there are no shards, and would take them for reached for ever.
        """
        if "shard" not in ready:  # then the session's own connection knows
            shards = (shard for shard in self.shards.values() if shard._parent.ws.session_id == ready["session_id"])
            ready["shard"] = [next(shards).id, self.shard_count]
            log.warning("READY names no shard", shard=ready["shard"][0])
        for guild in [guild for guild in self.guilds if guild.shard_id == ready["shard"][0]]:
            self._connection._remove_guild(guild)
        self._connection.parse_ready(ready)

    async def on_guild_join(self, _: discord.Guild) -> None:
        """Count the servers."""
        self._mind_the_limit()

    def _mind_the_limit(self) -> None:
        """Say in the log that Discord wants to verify the app, while there is time for it and when it is too late."""
        reached = max((limit for limit in (VERIFY_FROM, VERIFY_BY) if len(self.guilds) >= limit), default=0)
        if reached > self._minded and self.user and not self.user.public_flags.verified_bot:
            self._minded = reached
            log.warning("have the app verified", servers=len(self.guilds), most=VERIFY_BY)

    async def sync_if_changed(self) -> bool:
        """Tell Discord our commands if they are not those it was told last; whether it knows them then.

        Where it does not take them, the games go on with those that it knows.
        """
        digest = await self.commands_digest()
        try:
            known = read_known_commands(await self.app.service.meta(KNOWN_COMMANDS))
            if known and (known.digest == digest or not self._lease.share.leads):
                know_commands(known.numbers)
                return known.digest == digest
            if not self._lease.share.leads:
                return False  # the worker that has the first shard tells it
            known = KnownCommands(digest, numbers(await self.tree.sync()))
            ours = self.tree.get_commands(type=discord.AppCommandType.chat_input)
            if missing := {one.name for one in ours} - {name.split()[0] for name in known.numbers}:
                raise ValueError(f"without {', '.join(sorted(missing))}")
            know_commands(known.numbers)
            await self.app.service.set_meta(KNOWN_COMMANDS, json.dumps(known))
        except (discord.HTTPException, StoreError, *BROKEN) as error:
            log.warning("commands not synced", error=str(error) or "no answer", retry_in=SYNC_AGAIN)
            return False
        except Exception as error:  # noqa: BLE001 - an answer that is no list of commands; the games go on
            log.warning("commands not synced", error=f"unusable answer: {error!r}", retry_in=SYNC_AGAIN)
            return False
        log.info("commands synced", count=len(self.tree.get_commands()))
        return True

    async def _begin_to_sync(self) -> None:
        """Tell Discord our commands; for as long as it does not take them, that goes on beside everything else."""
        first = asyncio.create_task(self.sync_if_changed())
        self._syncing = asyncio.create_task(self._sync_until_taken(first))
        # Only waited for: cancelled in a rest that Discord wants, discord.py 2.7.1 holds back all later requests.
        done, _ = await asyncio.wait({first}, timeout=SYNC_PATIENCE)
        if not done:
            log.warning("commands not synced yet", waited=SYNC_PATIENCE)

    async def _sync_until_taken(self, attempt: asyncio.Task[bool]) -> None:
        while not await attempt:
            await asyncio.sleep(SYNC_AGAIN)
            attempt = asyncio.create_task(self.sync_if_changed())

    async def commands_digest(self) -> str:
        """The same for the same commands in the same words of the same application."""
        payload = [
            await command.get_translated_payload(self.tree, self.tree.translator or CatalogueTranslator())
            for command in sorted(self.tree.get_commands(), key=lambda command: command.name)
        ]
        return f"{self.application_id}:{hashlib.sha256(json.dumps(payload, sort_keys=True).encode()).hexdigest()}"

    def take_on_work(self, interaction: Interaction) -> bool:
        """Whether the present task may answer the interaction; a stop waits for it then."""
        self.app.languages[interaction.user.id] = reader(interaction)
        self.app.names.hear(interaction)
        taken, task = self._work.take_on(interaction), asyncio.current_task()
        assert task is not None
        task.add_done_callback(lambda _: end_turn(interaction))
        return taken

    async def is_welcome(self, interaction: Interaction) -> bool:
        """Whether it is answered here; else whoever asks has been told why not."""
        return await self.is_sure(interaction) and not await self.turned_away(interaction)

    async def is_sure(self, interaction: Interaction) -> bool:
        """Whether nobody else answers it; else whoever asks is told that it cannot be known, if nobody else has."""
        until = asyncio.get_running_loop().time() + UNSURE
        while not self._lease.sure:
            if asyncio.get_running_loop().time() > until:
                break
            await asyncio.sleep(0.1)
        else:
            return True
        if interaction.type is not discord.InteractionType.autocomplete:
            note_outcome(interaction, Outcome.FAILED)
            with opened(), suppress(discord.HTTPException, *BROKEN):
                await answer(interaction, text(reader(interaction), "storage.away"))
        return False

    async def turned_away(self, interaction: Interaction) -> bool:
        """Whether it comes from none of the servers that a private host has named; whoever asks is told so."""
        if self._only_in is None or interaction.guild_id is None or interaction.guild_id in self._only_in:
            return False
        if interaction.type is not discord.InteractionType.autocomplete:
            await self.answer_error(interaction, Declined("failure.other-server"))
        return True

    async def close(self) -> None:
        """Finish the answers that are under way, take on no new ones, and hang up."""
        if self._syncing is not None:
            self._syncing.cancel()
            await asyncio.gather(self._syncing, return_exceptions=True)
        await self._work.finish(GRACE if self._lease.sure else 0)
        await self.app.names.close()
        if self._connection._ready_task is not None:
            # discord.py 2.7.1 lets it run on, into a client that is closed.
            self._connection._ready_task.cancel()
        await super().close()

    @property
    def is_connected(self) -> bool:
        """Whether Discord can reach the bot just now, over one of the shards at least."""
        return self.is_ready() and not all(shard.is_closed() for shard in self.shards.values())

    def ailment(self) -> str | None:
        """What keeps the bot from working; None if nothing does."""
        if not self._lease.sure:
            return "the database does not answer"
        if not self.is_connected:
            return "not connected to Discord"
        ticker = self.get_cog(Ticker.__cog_name__)
        if not isinstance(ticker, Ticker) or ticker.overdue > LATE:
            return "the tick has not run"
        return WALL_CLOCK.trouble or self.app.service.attempts.trouble(everywhere=True)

    async def on_interaction(self, interaction: Interaction) -> None:
        """Answer buttons, menus and forms, whoever has sent them and when. Commands go their own way, by the tree."""
        if interaction.type not in ANSWERED_HERE:
            return
        try:
            if self.take_on_work(interaction) and await self.is_welcome(interaction):
                await require_sight(interaction)
                await respond_to(interaction)
                await tell_unknown(interaction)
        except Exception as error:  # noqa: BLE001 - the last handler: whatever it was, the person gets an answer
            await self.answer_error(interaction, error)

    async def on_app_command_completion(self, interaction: Interaction, _: object) -> None:
        """Tell of names that are not known here after each command that has been answered."""
        await tell_unknown(interaction)

    async def on_error(self, event_method: str, /, *args: Any, **kwargs: Any) -> None:
        """What a listener raises is logged; but for one that is still at work while the bot hangs up."""
        if not self.is_closed():
            await super().on_error(event_method, *args, **kwargs)

    async def answer_error(self, interaction: Interaction, error: BaseException) -> None:
        """One clear private answer. What is not anybody's mistake is logged before, and named by a code."""
        code, known = uuid4().hex[:8], is_known(error)
        if not known:
            log.error("unexpected", code=code, exc_info=error)
        elif is_outage(error):
            log.warning("outage", error=str(error))
        note_outcome(interaction, Outcome.REFUSED if known else Outcome.FAILED)
        try:
            with opened():  # what could not be done because of that is told all the same
                await explain(interaction, error, code)
        except (discord.HTTPException, *BROKEN) as failed:
            # Too late, answered already, or cut off: nobody is left to be told.
            note_outcome(interaction, Outcome.UNANSWERED)
            log.warning("not answered", code=code, failed=str(failed))


def _set_servers_aside() -> None:
    """Take what there is by now out of the garbage collector's rounds.

    With the channels of a thousand servers in memory one round kept everybody waiting for a tenth of a second. It does
    so here once more, before anybody waits: the servers of the session before are garbage now.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()
