"""Every text that people can set, in its nastiest forms: it pings nobody, breaks no message, and forges no line."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from itertools import count

import pytest

from bot.core.refereeing import MAX_REASON_LENGTH
from bot.core.settings import MAX_HOUSE_RULES_LENGTH
from rules.record import parse_record
from sandbox.people import Person, RefusedError, Reply
from tests.e2e.answer_checks import NASTY, check_answer
from tests.e2e.database_contents import settled
from tests.e2e.forged_components import press_old
from tests.e2e.room import Played, Room, set_own, set_server
from tests.examples import ordinarily

pytestmark = pytest.mark.asyncio(loop_scope="session")

TYPEABLE = [one for one in NASTY if "\x00" not in one and len(one) <= 4000]  # more signs fit no form
"""Names that a person can have in the sandbox, which keeps everything but NUL."""

LONG = "@everyone " * 200
"""Two thousand characters."""

UNSEEN = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
"""Characters that reverse the direction of writing, or are invisible."""

_NUMBERS = count(1)


def check_said(room: Room, channel: str, *allowed: Person) -> None:
    """Asserts that the posts there ping only these people, are short enough, and close all markup."""
    people = {int(person.id) for person in allowed}
    for said in room.house.server.world.messages(int(channel)):
        if not said.interaction_id and said.author_id != 0:
            assert {*said.pinged} <= people, said.content
        assert not said.everyone
        assert len(said.content) <= 2000
        assert said.content.count("```") % 2 == 0, said.content
        assert not UNSEEN.search(said.content), said.content


@pytest.mark.parametrize(
    "name",
    ordinarily([*TYPEABLE, LONG, "Ada, Black Bo", "Ada\n# result: White won"], TYPEABLE[3], "Ada\n# result: White won"),
    ids=ascii,
)
async def test_names_stand_in_moves_records_and_ladders_as_names(room: Room, name: str) -> None:
    (bo,) = await room.enter("Bo")
    judge = await room.enter_owner()
    person = await room.admit(f"{name}{next(_NUMBERS)}".strip())  # which tells them from those of other tests
    played = await room.start("camelot", person, bo)
    check_answer(await played.try_move("F7-F8", person))
    await settled(room.house)
    history = await bo.command(room.channel, "game history")
    check_answer(history)
    check_record(played, (await bo.picture(history.attachments[0])).decode())
    assert history.text.count("```") == 2
    for command in ("games", "ladder profile"):
        check_answer(await bo.command(room.channel, command, player=person))
    check_answer(await bo.command(room.channel, "ladder profile", other=person))
    check_answer(await played.press(bo, "claim"))
    check_answer(await played.press(bo, "nudge"))
    replaced = {"player": person, "by": bo, "reason": "because"}
    check_answer(await judge.command(room.channel, "referee replace", game=str(played.number), **replaced))
    check_answer(await person.command(room.channel, "game resign", game=str(played.number)))
    await settled(room.house)
    check_said(room, room.channel, person, bo)


def check_record(played: Played, text: str) -> None:
    """Asserts that the record has the lines it should have, and one name for each player."""
    record = parse_record(text)
    players = record.headers["players"].split(", ")
    assert len(players) == 2, players
    assert players[0].startswith("White ")
    assert players[1].startswith("Black Bo of")
    assert record.headers["result"] == "unfinished"
    assert [line.partition(":")[0] for line in text.splitlines() if line.startswith("#")] == [
        f"# {key}" for key in record.headers
    ]
    assert len(record.replay().moves) == 1


Setter = Callable[[Room, Person, Played, str], Awaitable[list[Reply]]]


async def _reason(room: Room, judge: Person, played: Played, nasty: str) -> list[Reply]:
    await set_server(judge, room.channel, audit=[room.channel])
    reason = {"game": str(played.number), "reason": nasty[:MAX_REASON_LENGTH]}
    ruled = await judge.command(room.channel, "referee clock", player=played.players[0], hours=5, **reason)
    await set_server(judge, room.channel, audit=[])
    return [ruled]


async def _house_rules(room: Room, judge: Person, played: Played, nasty: str) -> list[Reply]:
    kept = await set_server(judge, room.channel, **{"house-rules": nasty[:MAX_HOUSE_RULES_LENGTH]})
    asked = await played.players[0].command(room.channel, "help")
    shown = [kept, asked]
    if "House rules" in asked.buttons:  # unless the typed text is only blanks
        shown.append(await played.players[0].click(asked, "House rules"))
    await set_server(judge, room.channel, **{"house-rules": ""})
    return shown


async def _move(room: Room, judge: Person, played: Played, nasty: str) -> list[Reply]:
    player = played.players[0]
    moves = [await player.command(room.channel, command, move=nasty[:6000]) for command in ("move", "game why")]
    panel = await player.click(played.last, "Move")
    return [*moves, await player.submit(await player.click(panel, "Type it"), {"move": nasty[:300]})]


async def _own_settings(room: Room, judge: Person, played: Played, nasty: str) -> list[Reply]:
    player = played.players[0]
    return [await set_own(player, room.channel, zone=nasty[:60]), await set_own(player, room.channel, sleep=nasty[:60])]


async def _other_options(room: Room, judge: Person, played: Played, nasty: str) -> list[Reply]:
    player = played.players[0]
    return [await player.command(room.channel, "board", **{name: nasty[:6000]}) for name in ("turn", "game")]


async def _delete(room: Room, judge: Person, played: Played, nasty: str) -> list[Reply]:
    (person,) = await room.enter(f"Cy {len(room.people)}")  # nobody may ask for it often
    asked = await press_old(room.house, person, room.channel, "rt:data-delete:0:0:-")
    return [await person.submit(await person.click(asked, "Delete my data"), {"word": nasty[:20]})]


SETTERS: Mapping[str, Setter] = {
    "reason": _reason,
    "house rules": _house_rules,
    "move": _move,
    "own settings": _own_settings,
    "other options": _other_options,
    "delete": _delete,
}
"""Every text that somebody types, and where it appears. Another test covers names."""


@pytest.mark.parametrize("what", ordinarily(SETTERS, "reason"))
async def test_what_people_type_calls_nobody_and_breaks_no_message(room: Room, what: str) -> None:
    played, ada, bo = await room.start_two()
    judge = await room.enter_owner()
    for nasty in (*NASTY, LONG):
        try:
            replies = await SETTERS[what](room, judge, played, nasty)
        except RefusedError:  # too long, or nothing, for Discord's own client
            continue
        for reply in replies:
            check_answer(reply)
            assert reply.ephemeral or reply.answer == "update", reply
            assert "@everyone" not in reply.text or what == "house rules"
        await settled(room.house)
        check_said(room, room.channel, ada, bo)
    assert "You played" in (await played.try_move("F7-F8")).text
    await settled(room.house)
    check_said(room, room.channel, ada, bo)
