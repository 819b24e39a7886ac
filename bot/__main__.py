"""`python -m bot` runs Round Table: in Discord with a token, in the local sandbox without. `--help` lists the rest."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import signal
import sys
import threading
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path

import discord
import structlog

from bot.client import RoundTable
from bot.config import Settings, SettingsError
from bot.core.timings import DEFAULT_TIMINGS, Timings
from bot.discordkit.gateway import lost_shards
from bot.discordkit.metrics import ErrorCounter, Metrics
from bot.discordkit.permissions import log_invitation
from bot.discordkit.requests import NETWORK_ERRORS
from bot.discordkit.wall_clock import WALL_CLOCK
from bot.log import redact_secrets, set_up_logging
from bot.ops import sentences
from bot.ops.backup import back_up_nightly, list_backups
from bot.ops.terminal import parse_arguments, set_up_token, warn_of_new_database
from bot.play.background import Pictures
from bot.store import Store
from bot.store.connection import Address, run_to_completion
from bot.store.game_lists import count_games
from bot.store.migrations import Fault, StoreError
from rules.terminal import printing_to

log = structlog.get_logger()

MAX_SHUT_OUT_S = 24 * 3600
"""The most seconds until the next try while Discord blocks this address, whatever Discord demands."""

TOO_FEW_SHARDS = 4011
CLOSE_CODE_ADVICE = {4004: sentences.REFUSED, TOO_FEW_SHARDS: sentences.MORE_SHARDS}
"""The advice for codes with which the gateway closes permanently."""


class DiscordConnection:
    """The bot's connection to Discord, by one client after another."""

    def __init__(self, settings: Settings, timings: Timings) -> None:
        self._settings = settings
        self._timings = timings
        self.metrics = Metrics()
        """What counts, if something reads it."""
        self._client: RoundTable | None = None
        self._refusal: str | None = None
        self.store: Store | None = None
        """The database; None before it is open."""
        self.is_standby = False
        """Whether another process plays."""

    def unhealthy_reason(self) -> str | None:
        """Why the connection does not work; None if it works, or nothing needs to be done."""
        if self.store and self.store.unavailable_reason:
            return f"the database is away: {self.store.unavailable_reason}"
        if self._client:
            return self._client.unhealthy_reason()
        return self._refusal or (None if self.is_standby else "not connected to Discord")

    def healthy_message(self) -> str:
        """The message while the connection is healthy."""
        messages = [sentences.STANDBY if self.is_standby else sentences.WELL]
        if self._client:
            messages += [sentences.LOST_SHARD.format(number=number) for number in lost_shards(self._client)]
            messages += filter(None, [self._client.context.service.attempts.describe_failures(everywhere=False)])
        return "; ".join(messages)

    def stand_by(self) -> None:
        """Notes that another process plays."""
        self.is_standby = True

    async def keep_connected(self, store: Store, pictures: Pictures, token: str) -> None:
        """Runs a client, and another one after a failed connection. Ends when another process has taken over.

        If Discord refuses the bot, it is not asked again, but the process stays: a supervisor would restart it
        every few seconds, until Discord blocked the address or revoked the token.
        """
        self.store, self.is_standby = store, False
        while not store.taken_over.is_set():
            pause = self._timings.connect_retry_s
            client = RoundTable(store, pictures, self.metrics, self._settings.servers, timings=self._timings)
            try:
                async with client:
                    self._client = client
                    if self._settings.token:  # the sandbox needs no invitation
                        client.act_when_ready = log_invitation
                    if await _run_until_set(store.taken_over, client.start(token), self._timings):
                        return
            except StoreError as error:
                if not error.is_temporary or not isinstance(store.database, Address):
                    raise
                log.warning("the database cannot be used", error=error.detail, retry_in=pause)
            except (*NETWORK_ERRORS, discord.GatewayNotFound, discord.DiscordServerError) as error:
                log.warning("Discord cannot be reached", error=str(error), retry_in=pause)
            except discord.DiscordException as error:
                if isinstance(error, discord.HTTPException) and error.status == 429:
                    pause = _shut_out_for(error, self._timings)
                    log.error("Discord has had enough of this address", error=str(error), retry_in=pause)
                elif _close_code_of(error) == TOO_FEW_SHARDS and client.has_been_ready:
                    log.warning("Discord asks for more shards", retry_in=pause)
                else:
                    self._refusal = explain_refusal(error)
            finally:
                self._client = None
            if (task := asyncio.current_task()) and task.cancelling():  # at the moment of the error
                return
            if self._refusal:
                log.critical("refused", reason=self._refusal, health="unhealthy until it is started again")
                await asyncio.Event().wait()
            await asyncio.sleep(pause)


async def _run_until_set(event: asyncio.Event, work: Coroutine[object, object, None], timings: Timings) -> bool:
    """Does the work until it ends or the event is set; True if the event is set."""
    running, waiting = asyncio.ensure_future(work), asyncio.ensure_future(event.wait())
    try:
        await asyncio.wait((running, waiting), return_when=asyncio.FIRST_COMPLETED)
        return event.is_set()
    finally:
        waiting.cancel()
        # Raises the error once: raised again, it would have no traceback.
        await run_to_completion(_cancel_until_done(running, timings.cancel_retry_s))


async def _cancel_until_done(task: asyncio.Future[None], retry_s: float) -> None:
    """Cancels the task every `retry_s` seconds until it ends. Raises the task's error."""
    while not task.done():
        task.cancel()  # discord.py takes one cancellation for its own while it reconnects
        await asyncio.wait((task,), timeout=retry_s)
    with suppress(asyncio.CancelledError):
        task.result()


def explain_refusal(error: discord.DiscordException) -> str:
    """Discord's objection to the bot, and what to do. Raises the error itself if it is not a refusal by Discord."""
    if isinstance(error, discord.LoginFailure):
        return sentences.REFUSED
    if not isinstance(error, discord.HTTPException | discord.ConnectionClosed | discord.PrivilegedIntentsRequired):
        raise error
    return CLOSE_CODE_ADVICE.get(_close_code_of(error), sentences.NOT_LET_IN.format(detail=error))


def _close_code_of(error: discord.DiscordException) -> int:
    """The code with which the gateway closed; 0 for any other error."""
    return error.code if isinstance(error, discord.ConnectionClosed) else 0


def _shut_out_for(error: discord.HTTPException, timings: Timings) -> float:
    """Seconds until Discord admits this address again, from its answer; `rate_limited_retry_s` if it does not say."""
    wait = error.response.headers.get("Retry-After", "")
    if not wait.isdecimal():
        return timings.rate_limited_retry_s
    return max(timings.connect_retry_s, min(int(wait), MAX_SHUT_OUT_S))


async def run_bot(settings: Settings, timings: Timings) -> None:
    """Runs until stopped. Leaves nothing open."""
    if settings.token:  # a new sandbox surprises nobody
        warn_of_new_database(settings)
    for remark in settings.remarks:
        log.warning(remark)
    await _until_stopped(_play_or_stand_by(settings, timings), timings)


async def _play_or_stand_by(settings: Settings, timings: Timings) -> None:
    """Plays, and stands by while another process plays."""
    await _play(settings, timings)
    while True:
        log.warning("another process has taken over")
        try:
            await _play(settings, timings)
        except StoreError as error:
            if not (error.is_temporary or error.fault is Fault.IN_USE):
                raise
            log.warning("the database cannot be used", error=error.detail, retry_in=timings.connect_retry_s)
            await asyncio.sleep(timings.connect_retry_s)


async def _play(settings: Settings, timings: Timings) -> None:
    """Plays once no other process does, until another one takes over."""
    async with AsyncExitStack() as stack:
        connection = DiscordConnection(settings, timings)
        if settings.metrics_port is not None:
            await _serve_health(settings, settings.metrics_port, stack, connection, timings)
        store = await stack.enter_async_context(
            Store.open(settings.database, on_standby=connection.stand_by, timings=timings)
        )
        pictures = stack.enter_context(Pictures(timings))
        token = settings.token or await _start_sandbox(settings, stack)
        if isinstance(settings.database, Path) and settings.keep_backups:
            keeping = settings.database, settings.backups, settings.keep_backups
            _run_in_background(
                stack, back_up_nightly(*keeping, lambda: store.unavailable_reason is None, timings=timings)
            )
        await connection.keep_connected(store, pictures, token)


async def _start_sandbox(settings: Settings, stack: AsyncExitStack) -> str:
    """Points the client at our own sandbox, started here unless one runs already, and returns its token."""
    # A quarter of the program, which a bot in Discord does not need.
    from bot.demo import SANDBOX_PROFILE
    from sandbox import TOKEN, Sandbox, point_discord_at

    url = settings.sandbox_url
    if url is None:
        folder = settings.data_folder / "sandbox"
        sandbox = await Sandbox.start(folder, port=settings.sandbox_port, profile=SANDBOX_PROFILE)
        stack.push_async_callback(sandbox.close)
        url = sandbox.url
    point_discord_at(url)
    print(f"\n  No DISCORD_TOKEN set: the sandbox is running on this computer. Open {url}\n", flush=True)
    return TOKEN


async def _serve_health(
    settings: Settings, port: int, stack: AsyncExitStack, connection: DiscordConnection, timings: Timings
) -> None:
    """Serves /healthz and /metrics while the context is open."""
    from bot.ops.health import make_metrics, serve_health, watch_loop  # imports a whole web server

    async def metrics_page() -> bytes | None:
        return metrics.render_page(await _measure_standing(settings, connection))

    metrics = connection.metrics = make_metrics()
    reports = connection.unhealthy_reason, metrics_page, connection.healthy_message
    try:
        await stack.enter_async_context(serve_health(settings.metrics_host, port, *reports))
    except OSError as error:
        raise SettingsError((f"ROUNDTABLE_METRICS_PORT and _HOST cannot be served: {error}.",)) from error
    errors = ErrorCounter(metrics)
    logging.getLogger().addHandler(errors)
    stack.callback(logging.getLogger().removeHandler, errors)
    _run_in_background(stack, watch_loop(metrics, timings))


async def _measure_standing(settings: Settings, connection: DiscordConnection) -> Mapping[str, float | None]:
    """Measures what `_GAUGES` of `bot.ops.health` names. What cannot be measured is None, and hides nothing else."""
    live = unannounced = waiting = age = None
    if connection.store:
        with suppress(StoreError):
            live, unannounced = await count_games(connection.store.reader)
            waiting = len(await connection.store.reader.due_jobs(WALL_CLOCK.now()))
    if isinstance(settings.database, Path):
        with suppress(OSError):
            now = datetime.fromtimestamp(WALL_CLOCK.now(), UTC)
            copies = await asyncio.to_thread(list_backups, settings.backups, settings.database, now)
            age = (now - copies[0].made).total_seconds() if copies else None
    return {
        "connected": connection.unhealthy_reason() is None,
        "live_games": live,
        "unannounced_games": unannounced,
        "waiting_jobs": waiting,
        "backup_age_seconds": age,
    }


def _run_in_background(stack: AsyncExitStack, work: Coroutine[object, object, None]) -> None:
    """Runs endless work in the background until the stack is left."""
    task = asyncio.create_task(work)

    async def cancel_task() -> None:
        task.cancel()
        await asyncio.wait({task})  # its error is already logged, and stops nothing else

    def log_failure(_: object) -> None:
        if not task.cancelled() and (error := task.exception()):
            log.error("background task ended with an error", exc_info=error)

    task.add_done_callback(log_failure)
    stack.push_async_callback(cancel_task)


async def _until_stopped(work: Coroutine[object, object, None], timings: Timings) -> None:
    """Does the work until SIGTERM or SIGINT, then cancels it and waits for its end.

    Ends the process if that takes too long: a thread that waits for an address or a disk cannot be cancelled.
    """
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        try:
            loop.add_signal_handler(number, stop.set)
        except NotImplementedError:  # Windows: at Ctrl+C asyncio cancels this task instead
            break
    running = asyncio.create_task(work)
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait((running, stopping), return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopping.cancel()
        if not running.done():
            log.info("stopping")
            limit = threading.Timer(timings.stop_limit_s, os._exit, (0,))
            limit.daemon = True
            limit.start()
            running.cancel()
        with suppress(asyncio.CancelledError):
            await running


def main(arguments: Sequence[str] | None = None, timings: Timings = DEFAULT_TIMINGS) -> int:
    """Reads the settings, runs the command, and returns the exit status."""
    parsed = parse_arguments(arguments)
    try:
        settings = Settings.from_environment(with_token=parsed.run is not set_up_token)
        set_up_logging(settings.log_level, settings.token)
        with printing_to(getattr(parsed, "output", None)):
            if parsed.run:
                status: int = parsed.run(settings, parsed)
                return status
            asyncio.run(run_bot(settings, timings))
    except SettingsError as error:
        print(error, file=sys.stderr)
        return 2
    except StoreError as error:
        print(redact_secrets(sentences.fault_sentence(error)), file=sys.stderr)
        return 1
    except OSError as error:
        hint = f" {sentences.SANDBOX_RUNS}" if error.errno == errno.EADDRINUSE else ""
        print(redact_secrets(f"{error}.{hint}"), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
