"""A plain model of what plans must come to: no move unmeant, none twice, none missing.

It knows nothing of how plans go on from move to move. It keeps the whole story of the board, and asks of each plan from
the beginning: has everything been played as it says? Who makes the plans and how, through the services or through the
real process, is for others; it is told what was confirmed, and then the events.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from bot.core.events import Event, EventKind
from bot.core.fold import fold_event
from bot.core.match import Match
from rules import Game, Move, Position, RulesError, Seat, format_move, legal_moves
from rules.game import resolve_passes
from tests.bot import answers

FEW = 3
"""The number of moves that people choose from: few, so that plans often match."""

ALONG = 0.4
"""The probability that a plan continues another standing plan, so that several moves follow at once."""

Played = tuple[Seat, Move, Position]
"""A move: its seat, the move, and the position before it."""


class Said(NamedTuple):
    """One move of a plan, as its maker named it."""

    seat: Seat
    move: Move
    taken: dict[int, int]
    """The pieces that the move captures, by cell."""
    guards: str | None
    """The guards of a reply that may be any move; None for a named move."""


class Link(NamedTuple):
    """A move of a chain, as the announcement must show it."""

    seat: Seat
    user: int | None
    move: str
    planned: bool
    stewarded: bool


@dataclass
class Meant:
    """A plan as its maker means it."""

    user: int
    seat: Seat
    since: int
    """The number of moves of the game before the plan."""
    line: list[Said]
    away: bool
    id: int = 0

    def fits(self, story: Sequence[Played]) -> bool:
        """Returns True if all moves since then follow the plan."""
        made = story[self.since :]
        return len(made) < len(self.line) and all(map(self._as_said, self.line, made))

    def _as_said(self, said: Said, made: Played) -> bool:
        who, played, position = made
        if said.seat != who:
            return False
        lost = {cell: position.cells[cell] for cell in played.captures}
        if said.guards is None:
            return (said.move.path[0], said.move.path[-1], said.taken) == (played.path[0], played.path[-1], lost)
        mine = [byte for byte in lost.values() if position.variant.piece_by_code[byte].seat == self.seat]
        return "p" not in said.guards or not mine

    def next(self, story: Sequence[Played]) -> Said:
        return self.line[len(story) - self.since]

    def vague(self, story: Sequence[Played]) -> list[bool]:
        return [said.guards is not None for said in self.line[: len(story) - self.since]]

    def guards(self, story: Sequence[Played]) -> str:
        return "".join(said.guards or "" for said in self.line[: len(story) - self.since])

    def may_play(self, story: Sequence[Played], position: Position) -> bool:
        """Returns True if the plan's next move may be played at that position."""
        _, move, taken, _ = self.next(story)
        text = format_move(move, position.variant.board)
        try:
            played = Game.from_position(position).play(text).moves[-1]
        except RulesError:
            return False
        if played != move:
            return False
        guards = self.guards(story)
        if "s" in guards and {cell: position.cells[cell] for cell in move.captures} != taken:
            return False
        if "c" in guards:
            after, outcome, _ = resolve_passes(
                position.after_move(move)
            )  # the next who can move, not a steward who passes
            castle = position.variant.armies[self.seat].castle
            return (
                outcome is not None
                or after.turn == self.seat
                or not any(reply.end in castle and reply.start not in castle for reply in legal_moves(after))
            )
        return True

    def changed(self, chance: random.Random, story: Sequence[Played]) -> tuple[int, str | None, Meant] | None:
        """Returns a later reply's number, its new condition and the plan after that edit; None if no reply is left."""
        played = len(story) - self.since
        replies = [number for number in range(played, len(self.line)) if self.line[number].seat != self.seat]
        if not replies:
            return None
        number, guards = chance.choice(replies), chance.choice((None, "", "s", "cp"))
        line = [*self.line]
        line[number] = line[number]._replace(guards=guards)
        return number, guards, replace(self, line=line)


def chosen(chance: random.Random, position: Position, few: int = FEW) -> Move:
    """Returns one of the first few legal moves, so that people often choose the same."""
    found = legal_moves(position)
    return chance.choice(found[:: max(1, len(found) // few)])


@dataclass
class Foresight:
    """Computes the required effect of the plans for a game."""

    match: Match
    away: dict[int, int] = field(default_factory=dict)
    """The end of each person's vacation."""
    story: list[Played] = field(default_factory=list)
    meant: list[Meant] = field(default_factory=list)
    did: Counter[str] = field(default_factory=Counter)

    def wild_plan(self, chance: random.Random, user: int, *, away: float = 0.3, few: int = FEW) -> tuple[str, Meant]:
        """Returns a random line as that player types it, with some replies left open, and the plan that it means."""
        seat, game, words, line = self.match.players.index(user), self.match.started_game, list[str](), list[Said]()
        rest = self._along(chance)
        for _ in range(chance.randint(2, 7)):
            if game.outcome:
                break
            position = game.position
            move = next(rest, None) or chosen(chance, position, few)
            if move not in legal_moves(position):
                move, rest = chosen(chance, position, few), iter(())
            guards = None
            if position.turn != seat and chance.random() < 0.3:
                guards = "".join(sorted(chance.sample("spc", chance.randint(0, 3))))
            text = format_move(move, position.variant.board)
            words.append(text if guards is None else f"{text}*{guards}")
            taken = {cell: position.cells[cell] for cell in move.captures}
            line.append(Said(position.turn, move, taken, guards))
            game = game.apply(move)
        while line and line[-1].seat != seat:
            line.pop()
        return " ".join(words), Meant(user, seat, len(self.story), line, chance.random() < away)

    def _along(self, chance: random.Random) -> Iterator[Move]:
        """Yields the moves still to come of another person's plan, for somebody who plans along with it."""
        if not self.meant or chance.random() > ALONG:
            return iter(())
        one = chance.choice(self.meant)
        return iter([said.move for said in one.line[len(self.story) - one.since :]])

    def may_refuse(self, meant: Meant) -> bool:
        """Returns True if the bot may refuse this plan now."""
        return len(meant.line) < 2 or self.match.vacancy is not None or meant.user not in self.match.still_in

    def confirmed(self, meant: Meant, plan_id: int, gone: Collection[int]) -> None:
        """Notes that somebody confirmed the plan and that it replaced the plans `gone`."""
        self.meant = [one for one in self.meant if one.id not in gone]
        self.meant.append(replace(meant, id=plan_id))

    def follow(self, events: Sequence[Event], now: int) -> list[Link]:
        """Returns the moves made by one act; raises AssertionError if other moves were required."""
        links = list[Link]()
        for event in events:
            was, self.match = self.match, fold_event(self.match, event)
            if event.kind is EventKind.MOVED:
                links.append(self._moved(event, was, first=event is events[0], now=now))
            else:
                self._fall(event.kind, was)
        assert self.expected(self.match, now) is None, "a planned move is missing"
        if played := sum(link.planned for link in links):
            self.did["chains"] += 1
            self.did["planned moves"] += played
        return links

    def _moved(self, event: Event, was: Match, *, first: bool, now: int) -> Link:
        seat, position, move = was.turn, was.started_game.position, self.match.started_game.moves[-1]
        expected, planned = self.expected(was, now), event.body.endswith(" planned")
        if planned:
            assert expected is not None, f"not meant: {event.body}"
            assert move == expected, event.body
        else:
            assert was.is_stewards_turn or first, event
            assert expected is None, "a planned move is missing"
        self.story.append((seat, move, position))
        self.meant = [one for one in self.meant if one.fits(self.story)]
        return Link(seat, was.to_move, format_move(move, was.variant.board), planned, was.is_stewards_turn)

    def _fall(self, kind: EventKind, was: Match) -> None:
        if kind in (EventKind.UNDONE, EventKind.REWOUND) and self.match.ply < was.ply:
            del self.story[self.match.ply :]
            self.meant = []
            self.did["taken back"] += 1
        elif kind in (EventKind.TAKEN_OVER, EventKind.REPLACED, EventKind.PASSIVE) or not self.match.is_live:
            self.meant = []
            self.did["seats"] += 1

    def expected(self, match: Match, now: int) -> Move | None:
        """Returns the move that the bot must now play by itself; drops plans that cannot match any more."""
        user = match.to_move
        self.meant = [one for one in self.meant if match.is_live and match.started_game.position.is_playing(one.seat)]
        due = [
            one
            for one in self.meant
            if one.user == user and len(self.story) > one.since and one.next(self.story).seat == one.seat
        ]
        if user is None or not due:
            return None
        since = max(one.since for one in due)
        first = min(reversed(due), key=lambda one: one.vague(self.story)[since - one.since :])
        away = self.away.get(user, 0) > now and not first.away
        waits = match.vacancy or away or any(_concerned(match, user))
        if waits:
            return None
        if not first.may_play(self.story, match.started_game.position):
            self.meant = [one for one in self.meant if one not in due]
            return None
        return first.next(self.story).move

    def standing(self) -> Counter[int]:
        """Returns the number of plans that each person must have."""
        return Counter(one.user for one in self.meant)


def _concerned(match: Match, user: int) -> Iterator[bool]:
    for wish in match.requests.standing:
        if wish.kind is not answers.VOTE:
            yield wish.user == user or user not in wish.accepted
    # Only those who still play are asked; who does not, has no turn either.


def planned_among(links: Iterable[Link]) -> int:
    """Returns how many of the moves the bot played by itself."""
    return sum(link.planned for link in links)
