"""The scenes in which the acts of `tests/e2e/permissions.py` are possible, and the people in them."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Self

from bot.core.clock import DAY, HOUR
from bot.core.draft import format_path
from bot.leagues.league import SIGN_UP_S
from rules import VARIANTS
from sandbox.people import Person
from sandbox.permissions import Permission
from tests.e2e.clock import ClockHouse
from tests.e2e.database_contents import settled
from tests.e2e.forged_components import button, plant, press_old
from tests.e2e.ladder_players import number_in
from tests.e2e.places import add_role, grant
from tests.e2e.room import Played, Room, resign
from tests.e2e.stored_games import load_match
from tests.sentences import label, part

ASK = re.compile(r"rt:(?:draw|takeback|pause|substitute|take-over|vote|ladder)[a-z-]*:\d+:(\d+):")
"""The pattern of the `custom_id` of a button that answers an event, with the number of that event."""

ROUND = ("F6-E5", "F11-E12", "E5-F6", "E12-F11")
"""Moves of Camelot out and back by both players, after which the position occurs again."""

_NUMBERS = count(1)


@dataclass
class Scene:
    """A game at some point, the people around it, and the values for its custom ids."""

    house: ClockHouse
    room: Room
    judge: Person
    """The person who manages the server."""
    people: dict[str, Person] = field(default_factory=dict)
    played: Played | None = None
    number: int = 0
    right: str = "Ada"
    """The name of the person who may do the act of the scene."""
    wrong: str = "Bo"
    """The name of a player of the game who may not."""
    words: dict[str, str] = field(default_factory=dict)

    @classmethod
    @asynccontextmanager
    async def opened(cls, house: ClockHouse, kind: str) -> AsyncIterator[Self]:
        """Sets the scene that `kind` names in a room of its own."""
        async with Room.opened(house, f"scene-{next(_NUMBERS)}") as room:
            here = cls(house, room, await room.enter_owner())
            await here.begin(kind)
            yield here

    @property
    def foreigner(self) -> Person:
        """A member of the other server only."""
        return self.people["Fen"]

    @property
    def abroad(self) -> int:
        """The id of the other server."""
        return Room.guild_of(self.house, "Other Court")

    def filled(self, text: str) -> str:
        """Returns the text with the scene's values filled in."""
        numbers = {name.lower(): person.id for name, person in self.people.items()}
        friend = self.people["Dee" if "Dee" in self.people else "Eve"]
        return text.format(game=self.number, friend=friend.id, **numbers, **self.words)

    async def end(self) -> None:
        """Ends the game, or closes the table, unless it is over already."""
        phase = self._phase()
        if phase == "live":
            await self.judge.command(self.room.channel, "referee end", game=str(self.number), reason="because")
        elif phase == "open":
            host = self.people["Ada"]
            table = [said for said in await host.messages(self.room.channel) if "Cancel" in said.buttons]
            await host.click(table[-1], "Cancel")
            await self.house.until(lambda: self._phase() != "open", "closed")
        await settled(self.house)

    def _phase(self) -> str | None:
        phases: dict[int, str] = dict(self.house.bot.query("SELECT id, phase FROM matches"))
        return phases.get(self.number)

    async def note_ask(self) -> None:
        """Notes the number of the event that the newest buttons answer."""
        await settled(self.house)
        said = self.house.server.world.messages(int(self.room.channel))
        asks = [found[1] for one in said for found in ASK.finditer(repr(one.components))]
        self.words["ask"] = asks[-1]

    async def invite(self, *names: str) -> None:
        """Adds people who are members of the server and play in no game, unless they are there."""
        for name in names:
            if name not in self.people:
                self.people[name] = await self._join(name, self.room.guild)

    async def invite_judge(self) -> None:
        """Adds somebody who manages the server, and who may do the act."""
        await self.invite("Mod")
        mod = self.people["Mod"]
        await mod.call("PUT", f"/app/guilds/{self.room.guild}/members/{mod.id}", {"manages": True})
        self.right, self.wrong = "Mod", "Ada"

    async def _join(self, name: str, guild: int, **about: object) -> Person:
        return await self.room.admit(f"{name} of {self.room.name}", guilds=[str(guild)], **about)

    async def begin(self, kind: str) -> None:
        """Brings the people in and the game to the point that `kind` names."""
        await self.invite("Ada", "Bo", "Eve")
        self.people["Fen"] = await self._join("Fen", self.abroad, manages=[str(self.abroad)])
        await SCENES[kind](self)
        await settled(self.house)


Step = Callable[[Scene], Awaitable[object]]
"""Brings a scene further."""


async def _two(scene: Scene, channel: str | None = None) -> Played:
    scene.played = await scene.room.start("camelot", scene.people["Ada"], scene.people["Bo"], channel=channel)
    scene.number = scene.played.number
    cell = VARIANTS["camelot"].board.find_cell
    scene.words = {"changes": "0", "piece": format_path([cell("F7")]), "landing": format_path([cell("F8")])}
    return scene.played


async def _three(scene: Scene) -> Played:
    await scene.invite("Cy", "Dee")
    ada, bo, cy = (scene.people[name] for name in ("Ada", "Bo", "Cy"))
    scene.played = await scene.room.start("tri-camelot", ada, bo, cy)
    scene.number = scene.played.number
    return scene.played


async def _table(right: str, scene: Scene) -> None:
    await scene.invite("Cy")
    ada, bo, cy = (scene.people[name] for name in ("Ada", "Bo", "Cy"))
    table = await scene.room.set_table("tri-camelot", ada, opponent=cy)
    await table.join(bo)
    scene.number, scene.right, scene.wrong = table.number, right, "Ada" if right != "Ada" else "Bo"


async def _moved(scene: Scene) -> None:
    await (await _two(scene)).move("F7-F8")
    scene.words["changes"] = "1"


async def _drawn_up(scene: Scene) -> None:
    """Ada is to move, and has drawn up a plan which she has not confirmed."""
    await _two(scene)
    ada = scene.people["Ada"]
    asked = await ada.command(scene.room.channel, "plan", line="C6-C5 C11-C12 C5-C4", game=str(scene.number))
    assert label("plan-confirm") in asked.buttons, asked.text
    scene.words["plan"] = str(scene.house.bot.query("SELECT max(id) FROM plans")[0][0])


async def _planned(scene: Scene) -> None:
    """And now she has."""
    await _drawn_up(scene)
    before = scene.people["Ada"]
    await press_old(scene.house, before, scene.room.channel, scene.filled("rt-plan:confirm:{plan}:0"))


async def _explored(scene: Scene) -> None:
    """Ada has tried a move."""
    await _two(scene)
    ada = scene.people["Ada"]
    board = await ada.command(scene.room.channel, "game explore", game=str(scene.number))
    board = await ada.submit(await ada.click(board, label("type")), {"move": "F7-F8"})
    assert board.message is not None
    found = re.search(rf"rt-line:tools:m{scene.number}:(n\d+):", str(board.message.json["components"]))
    assert found, board.text
    [(tree,)] = scene.house.bot.query("SELECT max(id) FROM trees")
    cell = VARIANTS["camelot"].board.find_cell
    scene.words |= {"tree": str(tree), "node": found[1], "other": format_path([cell("G7"), cell("G8")])}


async def _against_a_bot(scene: Scene) -> None:
    """Ada is to move in a game against a bot."""
    begun = await scene.people["Ada"].command(scene.room.channel, "play", variant="camelot", bots="easy")
    scene.number, scene.words = number_in(begun.text), {"changes": "0"}
    await scene.house.until(lambda: not load_match(scene.house, scene.number).house_to_move, "the bot has moved")
    scene.words["changes"] = str(load_match(scene.house, scene.number).ply)


async def _repeated(scene: Scene) -> None:
    played = await _two(scene)
    for move in ROUND * 2:
        await played.move(move)


async def _asked(scene: Scene, command: str, **options: object) -> None:
    """Ada has asked for something, and Bo is to answer."""
    await scene.people["Ada"].command(scene.room.channel, command, game=str(scene.number), **options)
    await _note_ask_of_ada(scene)


async def _note_ask_of_ada(scene: Scene) -> None:
    await scene.note_ask()
    scene.right, scene.wrong = "Bo", "Ada"


async def _draw_offered(scene: Scene) -> None:
    await _two(scene)
    await _asked(scene, "game draw")


async def _takeback_asked(scene: Scene) -> None:
    await _moved(scene)
    ask = f"rt:takeback-ask:{scene.number}:0:-"
    await press_old(scene.house, scene.people["Ada"], scene.room.channel, ask)
    await _note_ask_of_ada(scene)


async def _pause_asked(scene: Scene) -> None:
    await _two(scene)
    panel = await press_old(scene.house, scene.people["Ada"], scene.room.channel, f"rt:pause-ask:{scene.number}:0:-")
    await scene.people["Ada"].choose(panel, "rt-pause", ["7"])
    await _note_ask_of_ada(scene)


async def _handover_asked(scene: Scene) -> None:
    await scene.invite("Dee")
    await _two(scene)
    await _asked(scene, "game substitute", player=scene.people["Dee"])


async def _overdue(scene: Scene) -> None:
    await _two(scene)
    scene.right, scene.wrong = "Bo", "Ada"
    await scene.house.move_clock(72 * HOUR + 60)
    await scene.house.move_clock(12 * HOUR)


async def _other_to_move(scene: Scene) -> None:
    await _two(scene)
    scene.right, scene.wrong = "Bo", "Ada"


async def _a_day_of_waiting(scene: Scene) -> None:
    await _other_to_move(scene)
    await scene.house.move_clock(DAY + 60)


async def _vacant(scene: Scene) -> None:
    await _three(scene)
    await resign(scene.people["Bo"], scene.room.channel, scene.number)
    await scene.note_ask()
    scene.right, scene.wrong = "Dee", "Ada"


async def _called(scene: Scene) -> None:
    await _vacant(scene)
    scene.right, scene.wrong = "Ada", "Bo"


async def _vote_proposed(scene: Scene) -> None:
    await _called(scene)
    call = await scene.people["Cy"].wait_for(scene.room.channel, lambda said: "Decide now" in said.buttons)
    await scene.people["Cy"].click(call, "Decide now")
    await scene.note_ask()


async def _vote(scene: Scene) -> None:
    await _vacant(scene)
    await scene.house.move_clock(2 * DAY + 60)
    await scene.note_ask()
    scene.right, scene.wrong = "Ada", "Bo"


async def _watched(scene: Scene) -> None:
    await scene.invite("Dee")
    await _two(scene)
    scene.right, scene.wrong = "Dee", "Ada"


async def _away(scene: Scene) -> None:
    await _two(scene)
    await scene.people["Ada"].command(scene.room.channel, "me vacation", days=3)


async def _elsewhere(scene: Scene) -> None:
    other = await scene.judge.call(
        "POST", f"/app/guilds/{scene.room.guild}/channels", {"name": f"{scene.room.name}-other"}
    )
    await _two(scene, other["id"])


async def _nothing(scene: Scene) -> None:
    """People are enough."""


async def _on_ladder(scene: Scene) -> None:
    for name in ("Ada", "Bo"):
        joined = await scene.people[name].command(scene.room.channel, "ladder join", variant="camelot")
        assert part("ladder.joined", rung=0) in joined.text, joined.text


async def _challenged(scene: Scene) -> None:
    await _on_ladder(scene)
    ada, bo = scene.people["Ada"], scene.people["Bo"]
    await ada.command(scene.room.channel, "ladder challenge", variant="camelot", player=bo.id)
    await scene.note_ask()
    scene.right, scene.wrong = "Bo", "Ada"


def _in_turn(*steps: Step) -> Step:
    """Returns the step that takes these one after the other."""

    async def take(scene: Scene) -> None:
        for step in steps:
            await step(scene)

    return take


async def _league_open(scene: Scene) -> None:
    """A league for which nobody has signed up."""
    custom_id = "rt-league-new:open:camelot:fast:8:4-6:2:0:1:7"
    panel = plant(scene.house, scene.room.channel, button(custom_id), only_for=scene.judge)
    await scene.judge.click(panel, custom_id)
    [(number,)] = scene.house.bot.query("SELECT max(id) FROM leagues")
    scene.words["league"] = str(number)


async def _league(scene: Scene) -> None:
    """Ada and Bo have signed up for a league."""
    await _league_open(scene)
    for name in ("Ada", "Bo"):
        await scene.people[name].command(scene.room.channel, "league join", league=int(scene.words["league"]))


async def _league_on(scene: Scene) -> None:
    """The season of that league has begun, and somebody who manages the server judges its game."""
    await _league(scene)
    await scene.house.move_clock(SIGN_UP_S)
    sql = f"SELECT match FROM league_games WHERE match IS NOT NULL AND league = {scene.words['league']}"
    await scene.house.until(lambda: bool(scene.house.bot.query(sql)), "begun")
    (scene.number,) = min(scene.house.bot.query(sql))  # more of them may have begun by now
    await scene.invite_judge()


async def _league_managing(scene: Scene) -> None:
    """Somebody who manages the server looks at that league; the bot may give a role."""
    await _league(scene)
    await scene.invite_judge()
    await grant(scene.judge, scene.room.guild, Permission.MANAGE_ROLES)
    scene.words["channel"] = scene.room.channel
    scene.words["role"] = await add_role(scene.judge, scene.room.guild, "Champion")


SCENES: Mapping[str, Step] = {
    "table for join": partial(_table, "Cy"),
    "table for decline": partial(_table, "Cy"),
    "table for leave": partial(_table, "Bo"),
    "table for cancel": partial(_table, "Ada"),
    "turn": _two,
    "turn of the other": _other_to_move,
    "a day of waiting": _a_day_of_waiting,
    "moved": _moved,
    "drawn up": _drawn_up,
    "planned": _planned,
    "explored": _explored,
    "against a bot": _against_a_bot,
    "repeated": _repeated,
    "over": _in_turn(_two, Scene.end),
    "ended": _in_turn(_moved, Scene.end),
    "draw offered": _draw_offered,
    "takeback asked": _takeback_asked,
    "pause asked": _pause_asked,
    "handover asked": _handover_asked,
    "overdue": _overdue,
    "vacant": _vacant,
    "called": _called,
    "vote proposed": _vote_proposed,
    "vote": _vote,
    "watched": _watched,
    "away": _away,
    "elsewhere": _elsewhere,
    "nothing": _nothing,
    "on ladder": _on_ladder,
    "challenged": _challenged,
    "league open": _league_open,
    "league": _league,
    "league on": _league_on,
    "league judged": _in_turn(_league, Scene.invite_judge),
    "league managing": _league_managing,
    "judge": _in_turn(_two, Scene.invite_judge),
    "judge moved": _in_turn(_moved, Scene.invite_judge),
}
"""How each scene is set."""
