"""A move while requests fail: the requests that it consists of, and checks of its outcome."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from aiohttp import web

from bot.core.events import EventKind
from bot.texts.i18n import text
from sandbox.faults import Effect, Serve
from sandbox.people import Person, Reply
from tests.e2e.machine_clocks import set_clock_wrong
from tests.e2e.room import Played, Room
from tests.sentences import confirmed

ANSWER = "POST /interactions/*/callback"
FILL_IN = "PATCH /webhooks/*/messages/@original"
POST = "POST /channels/{channel_id}/messages"
EDIT = "PATCH /channels/{channel_id}/messages/{message_id}"
OF_A_MOVE = {"answer": ANSWER, "post": POST, "confirm": FILL_IN, "tidy": EDIT}
"""The requests of a move, in order."""
OUTAGE = text("en", "permission.outage")
PACE = 40
"""The factor by which waits are shorter: one minute of the bot takes 60 / PACE seconds."""


@dataclass(frozen=True)
class Clock:
    """The clocks of the bot's machine, in seconds since this was made; see `tests.e2e.machine_clocks`."""

    file: Path
    begun: int = 0
    """The seconds in the file at that time."""

    @classmethod
    def of(cls, file: Path) -> Clock:
        """Returns the clock as the file has it now."""
        return cls(file, int(file.read_text().split()[0]))

    def jump(self, seconds: int) -> None:
        """Moves the time ahead as if the machine had slept."""
        self.file.write_text(str(self.begun + seconds))

    def goes_on(self, seconds: int) -> None:
        """Moves the time ahead as if the bot had been present."""
        self.file.write_text(f"{self.begun + seconds} there")

    def be_wrong(self, seconds: int) -> None:
        """Sets the machine's clock wrong, ahead or back by so much, while the true time stays."""
        set_clock_wrong(self.file.parent, seconds)


class Only:
    """An effect on the requests to these channels alone; `struck` counts them by channel."""

    def __init__(self, effect: Effect, *channels: str) -> None:
        self._effect = effect
        self.struck = dict.fromkeys(channels, 0)

    async def __call__(self, request: web.Request, serve: Serve) -> web.StreamResponse:
        """Returns the answer to a request: the effect's for these channels, the ordinary one for all others."""
        channel = request.match_info["channel_id"]
        if channel not in self.struck:
            return await serve(request)
        self.struck[channel] += 1
        return await self._effect(request, serve)


async def a_game(room: Room, **options: str) -> tuple[Played, Person, Person]:
    """Ada and Bo have begun; nothing is under way any more."""
    ada, bo = await room.enter("Ada", "Bo")
    table = await room.set_table("camelot", ada, **options)
    await table.join(bo)
    played = await table.begun()
    await ada.wait_for(room.channel, lambda said: said.id == table.message.id and not said.buttons)
    await marked(room)
    return played, ada, bo


async def marked(room: Room) -> None:
    """Everything is told."""
    behind = "SELECT count(*) FROM matches WHERE newsworthy > announced AND channel = ?"
    await room.house.until(lambda: room.house.bot.query(behind, int(room.channel)) == [(0,)], "told")


async def goes_on(played: Played, by: Person) -> None:
    """The move that `by` has made is told once, and the next one as well."""
    played.game = played.game.play("F7-F8")
    await played.told(by)
    await marked(played.room)
    await played.move("F10-F9")


def moves(played: Played) -> list[str]:
    """The moves that are stored."""
    query = "SELECT body FROM events WHERE match = ? AND kind = ? ORDER BY seq"
    return [body.split()[0] for (body,) in played.room.house.bot.query(query, played.number, EventKind.MOVED.value)]


def is_played(reply: Reply, played: Played) -> bool:
    """Whether the player is told that their first move is played."""
    return confirmed("F7-F8", played.number) in reply.text
