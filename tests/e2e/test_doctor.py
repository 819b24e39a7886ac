"""The doctor's questions to Discord: what it says in several scenes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import discord
import pytest
import pytest_asyncio
from aiohttp import web

from bot.discordkit.permissions import CODE_GRANT, invite_link
from bot.ops.backup import list_backups
from bot.ops.doctor import Severity
from sandbox import Sandbox
from sandbox.errors import Code
from sandbox.faults import cut, refused
from sandbox.sockets import json_answer
from sandbox.world import BOT_ID
from tests.e2e.game_checks import run
from tests.e2e.house import House
from tests.e2e.room import Room

# Most scenes are about the file and its backups.
pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.sqlite]


async def consult(house: House, module: str = "bot", **settings: str) -> tuple[int, list[str], list[str]]:
    """Returns the doctor's exit status, all its lines, and the lines that are not "ok"."""
    for _ in range(100):  # the first backup is made once Discord has reported the time
        if house.bot.where.startswith("postgres") or any((house.bot.folder / "backups").glob("*.db")):
            break
        await asyncio.sleep(0.1)
    place = {"ROUNDTABLE_DB": house.bot.where, "ROUNDTABLE_SANDBOX_URL": house.url}
    code, printed = await run(module, "doctor", **{**place, **settings})
    lines = printed.splitlines()
    return code, lines, [one for one in lines if not one.startswith("ok ")]


@dataclass
class Visit:
    """A room with a game in progress, in which all is well unless a scene changes something; and how to call the
    doctor."""

    room: Room
    module: str = "bot"
    settings: dict[str, str] = field(default_factory=dict)

    @property
    def house(self) -> House:
        """The house of the room."""
        return self.room.house


Scene = Callable[[Visit], AbstractAsyncContextManager[None]]
SCENES: list[tuple[Severity, tuple[str, ...], Scene]] = []
IN_EACH_RUN = 3
"""Scenes in the ordinary run: each starts the doctor again."""


def says(level: Severity, *sentences: str) -> Callable[[Callable[[Visit], AsyncIterator[None]]], Scene]:
    """Marks a scene in which lines have these words."""

    def note(work: Callable[[Visit], AsyncIterator[None]]) -> Scene:
        scene = asynccontextmanager(work)
        SCENES.append((level, sentences, scene))
        return scene

    return note


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def ward(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Room]:
    async with House(tmp_path_factory.mktemp("ward")) as house, Room.opened(house, "ward") as room:
        await room.start("camelot", *await room.enter("Ada", "Bo"))
        folder = house.bot.folder / "backups"
        await house.until(lambda: bool(list_backups(folder, house.bot.database)), "backed up")
        yield room


@says(
    Severity.OK,
    f"The link that adds the bot to a server: {invite_link(BOT_ID)}",
    "Discord knows the bot as",
    "The clock agrees with",
    "looked at in 1 channels",
)
async def _all_is_well(visit: Visit) -> AsyncIterator[None]:
    yield


@says(Severity.OK, "Discord is not asked anything")
async def _a_sandbox_that_is_not_there_yet(visit: Visit) -> AsyncIterator[None]:
    visit.settings["ROUNDTABLE_SANDBOX_URL"] = ""
    yield


@says(Severity.FAULT, "Discord cannot be asked")
async def _nobody_at_the_address(visit: Visit) -> AsyncIterator[None]:
    gone = await Sandbox.start(visit.house.bot.folder / "gone")
    await gone.close()
    visit.settings["ROUNDTABLE_SANDBOX_URL"] = gone.url
    yield


@says(Severity.FAULT, "Discord cannot be asked")
async def _a_connection_that_breaks(visit: Visit) -> AsyncIterator[None]:
    visit.house.server.faults.add("GET /gateway", cut(done=False), times=None)
    yield


@says(Severity.FAULT, "503 Service Unavailable")
async def _an_outage_told_by_a_whole_page(visit: Visit) -> AsyncIterator[None]:
    async def page(*_: object) -> web.StreamResponse:
        return web.Response(status=503, text="<html>\n<h1>Sorry</h1>\n" + "<p>\n" * 1000, content_type="text/html")

    visit.house.server.faults.add("GET /users/@me", page, times=None)
    yield


@says(Severity.FAULT, "does not accept DISCORD_TOKEN")
async def _a_token_that_was_reset(visit: Visit) -> AsyncIterator[None]:
    visit.house.server.faults.add("GET /users/@me", refused(Code.UNAUTHORIZED), times=None)
    yield


@says(Severity.WARNING, "The clock is 360")
async def _an_hour_ahead(visit: Visit) -> AsyncIterator[None]:
    visit.module = "tests.e2e.hasty_program"
    clock = visit.house.bot.folder / "clock"
    clock.write_text("3600")  # for the doctor's process only
    visit.settings["HASTY_CLOCK"] = str(clock)
    yield


def change_application(visit: Visit, **settings: object) -> None:
    """Changes the application in the developer portal, as far as Discord's answer shows it."""

    async def change(_: web.Request, answer: Callable[[web.Request], Awaitable[web.Response]]) -> web.StreamResponse:
        return json_answer({**json.loads((await answer(_)).body), **settings})

    visit.house.server.faults.add("GET /oauth2/applications/@me", change, times=None)


@says(Severity.OK, "User Install is off")
async def _an_application_that_only_servers_install(visit: Visit) -> AsyncIterator[None]:
    change_application(visit, integration_types_config={"0": {}})
    yield


@says(Severity.WARNING, CODE_GRANT)
async def _an_application_that_nobody_can_add(visit: Visit) -> AsyncIterator[None]:
    change_application(visit, bot_require_code_grant=True)
    yield


@says(Severity.WARNING, "is no longer in server")
async def _a_server_that_has_thrown_the_bot_out(visit: Visit) -> AsyncIterator[None]:
    world = visit.house.server.world
    guild = world.guild(visit.room.guild)
    world.put(replace(guild, members=tuple(member for member in guild.members if member != BOT_ID)))
    yield
    world.put(guild)


@says(Severity.WARNING, "in Round Table is gone")
async def _a_channel_that_somebody_has_deleted(visit: Visit) -> AsyncIterator[None]:
    world = visit.house.server.world
    gone = world.channel(int(visit.room.channel))
    world.drop_channel(gone)
    yield
    world.put(gone)


@says(Severity.WARNING, "In Round Table the moderators have put the bot in timeout until 2100-01-01 00:00 UTC")
async def _a_server_whose_moderators_have_put_the_bot_in_timeout(visit: Visit) -> AsyncIterator[None]:
    world = visit.house.server.world
    guild = world.guild(visit.room.guild)
    until = datetime(2100, 1, 1, tzinfo=UTC)
    world.put(replace(guild, timeouts={str(BOT_ID): until.timestamp()}))
    yield
    world.put(guild)


@says(Severity.FAULT, "#ward in Round Table: the bot lacks Send Messages and Attach Files")
async def _a_channel_without_pictures(visit: Visit) -> AsyncIterator[None]:
    await forbid(visit.room, visit.room.channel, attach_files=True, send_messages=True)
    yield
    await forbid(visit.room, visit.room.channel)


async def forbid(room: Room, channel: str, **permissions: bool) -> None:
    """Denies the bot exactly these permissions in a channel."""
    denied = {"of": str(BOT_ID), "allow": 0, "deny": discord.Permissions(**permissions).value}
    await room.people["Ada"].call("PUT", f"/app/channels/{channel}/overwrites", denied)


@pytest.mark.parametrize(
    ("level", "sentences", "scene"),
    [
        pytest.param(*one, id=one[2].__name__, marks=() if number < IN_EACH_RUN else pytest.mark.long)
        for number, one in enumerate(SCENES)
    ],
)
async def test_the_doctor_says_what_discord_shows_and_nothing_else(
    level: Severity, sentences: tuple[str, ...], scene: Scene, ward: Room
) -> None:
    visit = Visit(ward)
    try:
        async with scene(visit):
            code, lines, troubles = await consult(ward.house, visit.module, **visit.settings)
    finally:
        ward.house.server.faults.lift()
    said = [one for words in sentences for one in lines if one.startswith(level.value) and words in one]
    assert len(said) == len(sentences), lines
    assert troubles == ([] if level is Severity.OK else said)
    assert code == (1 if level is Severity.FAULT else 0)


async def test_the_doctor_asks_beside_a_bot_that_runs_and_tells_discord_nothing(own_house: House) -> None:
    sent: list[str] = []
    own_house.meddle = lambda method, template, payload: sent.append(f"{method} {template}")
    code, lines, _ = await consult(own_house)
    own_house.meddle = None
    assert code == 0
    assert any("A bot is running on it." in said for said in lines)
    assert sent == []


@pytest.mark.long
async def test_a_game_in_an_archived_thread_is_still_looked_for_there(own_room: Room) -> None:
    ada, bo = await own_room.enter("Ada", "Bo")
    thread = (await own_room.start("camelot", ada, bo, thread=True)).channel
    await own_room.set_table("camelot", ada, thread)  # its only channel is the thread
    for archived in (False, True):
        await ada.call("PATCH", f"/app/channels/{thread}", {"archived": archived})
        code, lines, troubles = await consult(own_room.house)
        assert (code, troubles) == (0, [])
        assert "looked at in 2 channels" in lines[-1]
    await forbid(own_room, own_room.channel, send_messages_in_threads=True)
    code, _, troubles = await consult(own_room.house)
    assert code == 1
    for name, said in zip(("room", ada.channels[thread]["name"]), troubles, strict=True):
        assert f"#{name} in Round Table: the bot lacks Send Messages in Threads" in said
