"""People at the real process who plan at random while the bot is killed, and who check the stored plans and moves."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Self

from bot.core.events import Event, EventKind
from bot.core.match import Match
from bot.plans.plan import Plan, PlanEnd, PlanEndReason, displaces_plan, parse_line
from bot.play.options import turn_names
from bot.texts.i18n import load_catalogue, text
from bot.texts.sentences import side_values
from rules import VARIANTS, Move, format_move, legal_moves
from sandbox.limits import walk
from sandbox.people import Person, Reply, Said, TooLateError
from sandbox.things import Message
from sandbox.world import BOT_ID
from tests.bot.foreseeing import Foresight, Link, Meant, chosen, planned_among
from tests.e2e.clock import ClockHouse
from tests.e2e.planting import press_old
from tests.e2e.room import Room, set_own
from tests.e2e.stored_games import match_of
from tests.sentences import confirmed, label, part

MINUTE = 60
"""Seconds from one act to the next."""

FEW = 2
"""The number of moves that people choose from: few, because acts are slow here and more plans should match."""

HOPE = 0.7
"""The probability that the player to move plays a move that a plan waits for."""


@dataclass
class Planners:
    """The players of a game in a room of their own, who begin another when it is over."""

    room: Room
    house: ClockHouse
    variant: str
    chance: random.Random
    people: dict[int, Person]
    guest: Person
    """The person who may replace a player."""
    judge: Person
    foresight: Foresight
    begun: list[Person]
    confirming: tuple[int, Meant, set[int]] | None = None
    """The plan that somebody is about to confirm: its id, its meaning, and the plans that it would replace."""
    seen: int = 0
    """The last message checked."""
    told: Counter[str] = field(default_factory=Counter)
    """How often each kind of message was posted."""
    did: Counter[str] = field(default_factory=Counter)

    @classmethod
    async def gather(
        cls, house: ClockHouse, name: str, variant: str, chance: random.Random, stack: AsyncExitStack
    ) -> Self:
        """Gathers the people and begins their first game."""
        room = await Room.found(house, name, stack)
        *players, guest = await room.enter(*"ABCD"[: len(VARIANTS[variant].seats)], "Dee")
        judge = await stack.enter_async_context(await Person.join(house.url, "Ada"))
        for player in players:  # whose plans need not be drawn each time, as the guest's are
            await set_own(player, room.channel, board="text")
        people = {int(one.id): one for one in (*players, guest)}
        game = await _begun(room, variant, players)
        circle = cls(room, house, variant, chance, people, guest, judge, game, players)
        circle.seen = house.server.world.next_id()
        return circle

    async def rest(self) -> None:
        """Begins the next game if this one is over."""
        if not self.foresight.match.is_live:
            self.did += self.foresight.did
            away, self.foresight = self.foresight.away, await _begun(self.room, self.variant, self.begun)
            self.foresight.away = away
            self.seen = self.house.server.world.next_id()

    async def go_on(self) -> None:
        """Acts until the game is over or the task is cancelled, which happens at any moment when the bot dies."""
        while self.foresight.match.is_live:
            self.house.clock.now += MINUTE
            await self.act()

    async def act(self) -> None:
        """Has somebody do something and checks the outcome."""
        match, roll = self.foresight.match, self.chance.random()
        answers = _answers(match)
        if answers and roll < 0.4:
            await self._answer(self.chance.choice(answers))
        elif self.foresight.meant and roll < 0.07:
            await self._edit(self.chance.choice(self.foresight.meant))
        elif roll < (0.35 if self._hoped() else 0.7):
            await self._plan()
        elif roll < 0.88:
            await self._move()
        else:
            await self._something()
        await self.look()

    async def _plan(self) -> None:
        player = self.chance.choice(self.foresight.match.players)
        line, meant = self.foresight.wild_plan(self.chance, player, away=0.1, few=FEW)
        if not line:
            return
        person, number = self.people[player], self.foresight.match.id
        asked = _in_time(await person.command(self.room.channel, "plan", line=line, game=str(number)))
        if label("plan-confirm") not in asked.buttons:
            assert self.foresight.may_refuse(meant), asked.text
            return
        if meant.away:
            asked = _in_time(await person.click(asked, label("plan-away-off")))
        if self.chance.random() < 0.1:
            return  # who does not confirm has meant nothing
        await self._confirm(person, asked, meant)
        self.did["planned"] += 1

    async def _edit(self, meant: Meant) -> None:
        """Has somebody edit a reply of one of their plans, starting from the list of their plans."""
        change = meant.changed(self.chance, self.foresight.story)
        if not change:
            return
        number, guards, changed = change
        person, game = self.people[meant.user], str(self.foresight.match.id)
        shown = _in_time(await person.command(self.room.channel, "plan", game=game))
        if not _offers(shown, str(meant.id)):
            return  # on a further page
        shown = _in_time(await person.click(shown, f"rt-plan:view:{meant.id}"))
        shown = _in_time(await person.click(shown, label("plan-edit")))
        if label("plan-confirm") not in shown.buttons:
            assert meant.user in self.foresight.match.resigned_users, shown.text
            return
        shown = _in_time(await person.choose(shown, "rt-plans:reply", [str(number)]))
        ticked = [] if guards is None else ["any", *guards]
        shown = _in_time(await person.choose(shown, "rt-plans:guards", ticked))
        await self._confirm(person, shown, changed)
        self.did["edited"] += 1

    async def _confirm(self, person: Person, shown: Reply, meant: Meant) -> None:
        assert shown.message is not None
        button = shown.message.component(label("plan-confirm"))["custom_id"]
        found = {plan.id: plan for plan in self._plans()}
        draft = found[int(button.split(":")[2])]
        gone = {one.id for one in found.values() if one.user == draft.user and displaces_plan(draft, one)}
        self.confirming = draft.id, meant, gone
        done = _in_time(await person.click(shown, button))
        assert self._settle_confirmed() == (part("plan.done", id=draft.match) in done.text), done.text

    def _settle_confirmed(self) -> bool:
        """Returns True if the plan that somebody was confirming stands or was played; updates the model."""
        if self.confirming is None:
            return False
        (plan_id, meant, gone), self.confirming = self.confirming, None
        stored = next((plan for plan in self._plans() if plan.id == plan_id), None)
        stands = stored is None or stored.is_confirmed  # a draft goes only with the board that it was made for
        if stands:
            self.foresight.confirmed(meant, plan_id, gone)
        return stands

    async def _move(self) -> None:
        match = self.foresight.match
        if match.to_move is None:
            return
        hoped = self._hoped() if self.chance.random() < HOPE else []
        played = self.chance.choice(hoped) if hoped else chosen(self.chance, match.started_game.position, FEW)
        move = format_move(played, match.variant.board)
        done = await self.people[match.to_move].command(self.room.channel, "move", move=move, game=str(match.id))
        assert confirmed(move, match.id) in _in_time(done).text, done.text
        events = self._events()
        assert [event.kind for event in events[:1]] == [EventKind.MOVED], events

    def _hoped(self) -> list[Move]:
        """Returns the moves of the player to move for which plans wait."""
        match, story = self.foresight.match, self.foresight.story
        said = [one.next(story) for one in self.foresight.meant]
        legal = legal_moves(match.started_game.position) if said else ()
        return [one.move for one in said if one.seat == match.turn and one.move in legal]

    async def _answer(self, button: str) -> None:
        """Has somebody, not always a person asked, press that button below the latest question."""
        person, game = self.chance.choice(list(self.people.values())), self.foresight.match.id
        for said in reversed(await person.messages(self.room.channel)):
            for one in _ids(said):
                if re.match(rf"[a-z-]+:{button}:{game}\b", one):
                    _in_time(await person.click(said, one))
                    return

    async def _something(self) -> None:
        """Has somebody do anything but a move, a plan or an answer."""
        person, match = self.chance.choice(list(self.people.values())), self.foresight.match
        place, game = self.room.channel, str(match.id)
        match self.chance.choice(("draw", "takeback", "takeback", "substitute", "undo", "resign", "vacation")):
            case "draw" if not match.draw:
                _in_time(await person.command(place, "game draw", game=game))
            case "takeback":
                _in_time(await press_old(self.room.house, person, place, f"rt:takeback-ask:{game}:0:-"))
            case "substitute" if self.chance.random() < 0.5:
                _in_time(await person.command(place, "game substitute", player=self.guest, game=game))
            case "undo" if self.chance.random() < 0.3:
                ply = self.chance.randint(max(0, match.ply - 4), match.ply)
                turn = ["0", *turn_names("en", match)][ply]
                _in_time(await self.judge.command(place, "referee undo", game=game, turn=turn, reason="so be it"))
            case "resign" if self.chance.random() < 0.2 and len(match.still_in) == 3:
                asked = _in_time(await person.command(place, "game resign", game=game))
                if label("resign") in asked.buttons:
                    _in_time(await person.click(asked, label("resign")))
            case "vacation":
                _in_time(await person.command(place, "me vacation", days=1))
            case _:
                pass

    async def look(self) -> None:
        """Asserts that the stored events are those that the model expects, and that they were announced."""
        number = self.foresight.match.id
        untold = "SELECT 1 FROM matches WHERE id = ? AND newsworthy > announced"
        await self.house.until(lambda: not self.house.bot.query(untold, number), "told")
        for user, end in self.house.bot.query("SELECT user, end FROM vacations"):
            if user in self.people:
                self.foresight.away[user] = max(end, self.foresight.away.get(user, 0))
        self._settle_confirmed()
        events = self._events()
        links = self.foresight.follow(events, self.house.now)
        standing = Counter(plan.user for plan in self._plans() if plan.is_alive)
        assert standing == self.foresight.standing(), (standing, self.foresight.meant)
        self._check_told(events, links)

    def _check_told(self, events: Sequence[Event], links: Sequence[Link]) -> None:
        """Asserts that exactly one message announced each move to the next player, with all planned moves after it."""
        match, said = self.foresight.match, self._posted()
        self.told.update(message.nonce for message in said if message.nonce)
        assert not [nonce for nonce, count in self.told.items() if count > 1], self.told
        moved = {event.seq for event in events if event.kind is EventKind.MOVED}
        ends = {seq + 1 for seq in moved} & {event.seq for event in events if event.kind is EventKind.ENDED}
        covers = {f"{match.created:x}:{match.id}:{seq}" for seq in moved | ends}
        posts = [message for message in said if message.nonce in covers]
        assert len(posts) == bool(links), [message.content for message in said]
        planned = sum(_planned(message.content) for message in said)
        assert planned == planned_among(links), ([message.content for message in said], links)
        if not links:
            return
        (post,) = posts
        assert _told_of(match.variant.key, links, post.content), (post.content, links)
        if match.is_live and match.to_move is not None:
            called = {match.to_move}
            alone = events[0].kind is EventKind.MOVED  # what it has followed from may call others
            latest = post is [message for message in said if message.nonce][-1]  # or what has overtaken it calls them
            assert not latest or ({*post.pinged} == called if alone else called <= {*post.pinged}), post
        elif not match.is_live:
            by = None if links[0].planned else links[0].user
            assert {*match.players} - {by} <= {*post.pinged}, (post.pinged, by)

    def _posted(self) -> list[Message]:
        """Returns the bot's public messages since the last check."""
        found = [
            message
            for message in self.house.server.world.messages(int(self.room.channel))
            if message.id > self.seen and message.author_id == BOT_ID and message.only_for is None
        ]
        self.seen = max((message.id for message in found), default=self.seen)
        return found

    def _events(self) -> list[Event]:
        """Returns the events since the last check."""
        rows = self.house.bot.query(
            "SELECT seq, at, kind, user, body FROM events WHERE match = ? AND seq > ? ORDER BY seq",
            *(self.foresight.match.id, self.foresight.match.seq),
        )
        return [Event(seq, at, EventKind(kind), user, body) for seq, at, kind, user, body in rows]

    def _plans(self) -> list[Plan]:
        """Returns the stored plans for the game, including the dropped ones."""
        board = self.foresight.match.variant.board
        rows = self.house.bot.query(
            "SELECT id, user, seat, version, line, done, stands, fallen, edits FROM plans WHERE match = ? ORDER BY id",
            self.foresight.match.id,
        )
        return [
            Plan(
                *(self.foresight.match.id, user, seat, version, parse_line(line, board), done),
                is_confirmed=bool(stands),
                end=PlanEnd(PlanEndReason.OFF) if fallen else None,
                edits=edits,
                id=plan_id,
            )
            for plan_id, user, seat, version, line, done, stands, fallen, edits in rows
        ]


async def _begun(room: Room, variant: str, players: Sequence[Person]) -> Foresight:
    """Begins a game, waits for its announcement and returns the model of it."""
    played = await room.start(variant, *players, pace="none")
    match = match_of(room.house, played.number)
    assert match is not None
    return Foresight(match)


def _answers(match: Match) -> list[str]:
    """Returns the buttons of the open questions. A draw is accepted rarely, so that games continue."""
    return [
        *(["draw-decline"] * 6 + ["draw-accept"] if match.draw else ()),
        *(("takeback-accept", "takeback-accept", "takeback-decline") if match.takeback else ()),
        *(("substitute-accept", "substitute-accept", "substitute-decline") if match.handover else ()),
        *(("vote-play-on",) if match.vacancy and match.vacancy.voting else ()),
    ]


def _in_time(reply: Reply) -> Reply:
    if reply.failed:
        raise TooLateError(reply)
    return reply


def _offers(said: Reply, value: str) -> bool:
    """Returns True if a row of that answer has the button of that plan."""
    parts = [one for _, one in walk(said.message.json["components"])] if said.message else ()
    return any(str(one.get("custom_id")).startswith(f"rt-plan:view:{value}:") for one in parts)


def _ids(said: Said) -> Iterator[str]:
    """Returns the ids of the message's enabled buttons."""
    for _, one in walk(said.json["components"]):
        if one["type"] == 2 and not one.get("disabled") and "custom_id" in one:
            yield one["custom_id"]


def _planned(said: str) -> int:
    """Returns how many moves the message calls planned."""
    mark = load_catalogue("en")["plan.chain.planned"]
    return sum(line.endswith(mark) for line in said.split("\n")) + said.count(text("en", "plan.alone"))


def _told_of(variant: str, links: Sequence[Link], said: str) -> bool:
    """Returns True if the message names these moves in order, and marks exactly the planned ones."""
    if len(links) == 1:
        return f"`{links[0].move}`" in said and links[0].planned == (text("en", "plan.alone") in said)
    told = [line for line in said.split("\n") if re.match(r"\*\*\d+\*\* ", line)]
    due = [_line(variant, number, link) for number, link in enumerate(links, 1)]
    return told == due


def _line(variant: str, number: int, link: Link) -> str:
    how = "plan.chain.planned" if link.planned else "turn.by-steward" if link.stewarded else None
    said = side_values("en", VARIANTS[variant], link.seat)
    return text(
        "en", "plan.chain.move", **{**said, "number": number, "move": link.move, "how": text("en", how) if how else ""}
    )
