"""What nobody can press, choose or type: forged custom ids, values that no menu has offered, games in unseen channels.

Acts and scenes come from the table of permissions, so a new act is tried too. No forged press lets a stranger change
anything, and none in the composer plays a move. What a person does elsewhere reveals nothing of a channel that they
cannot see.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, get_type_hints

import pytest

from bot.core.problems import Problem
from bot.discordkit.components import MAX_ID_LENGTH, Components, CountField, Family, IdField, KeyField, UserField
from bot.discordkit.errors import NO_SUCH_BUTTON
from bot.features import FEATURES, PLAY
from bot.play.context import EndField, MatchField, PathField, declared
from bot.play.sheets import SheetDrawer
from bot.texts.i18n import text
from sandbox.people import Person, Reply
from sandbox.permissions import Permission
from tests.e2e.answer_checks import FAILURE
from tests.e2e.database_contents import Stock, differences, settled
from tests.e2e.forged_components import press_old
from tests.e2e.indoors import Indoors
from tests.e2e.permission_acts import FORMS, do
from tests.e2e.permissions import DONE, ROWS, SHOWN
from tests.e2e.room import Room
from tests.e2e.scenes import Scene
from tests.examples import ordinarily
from tests.sentences import part

DECLARING = (PLAY, *FEATURES)
SHEETS = sorted(drawer.name for drawer in declared(DECLARING, SheetDrawer))
parse_custom_id = Components(declared(DECLARING, Family)).parse_id
"""Made so that every handler of a component is registered."""

ACTS = [act for act in ROWS if not act.startswith("/")]

MEANINGLESS = ("💥", "9" * 60, "-1", "²", "x" * 100, ":::::", "page", "page-1", "page²", "n", "p9999999")
VALUES = (
    *MEANINGLESS,
    *("0", "zz", "00", "n999999", "p999999", "page0", "page999999", "easy", "easy:", "easy:0", "easy:999", "master:1"),
    *(f"easy:{'9' * 60}", "never:1", "#7", "board:-:99999999999999999999:0:0", "board:-:-5:0:7", "games:camelot:0:0:9"),
)
TYPED = ("", " ", "\x00", "9" * 4000, "F7-" * 1300, "٣", "²", "-1", "23-99", "İıſK" * 100)

FIELDS: dict[Any, tuple[Any, ...]] = {
    **dict.fromkeys((IdField, MatchField), (0, 999_999_999_999_999)),
    CountField: (0, 1, 999_999),
    UserField: (0, 9 * 10**18 - 1, 1 - 9 * 10**18),
    KeyField: ("-", "chess", "x" * 20, "tri-camelot"),
    EndField: (0, 36**2 - 1),
    PathField: ("00", "zzzz", "~00000000"),
}
"""Values for the fields of a custom id, by type, within what their patterns accept."""


def forged(custom_id: str) -> Iterator[str]:
    """Returns that custom id with each of its fields forged."""
    sent = parse_custom_id(custom_id)
    assert sent, custom_id
    for name, kind in get_type_hints(type(sent.state), include_extras=True).items():
        for value in FIELDS.get(kind, ("p999999", "n999999", "0000000000", "9")):
            try:
                written = sent.family.format_id(sent.name, sent.state._replace(**{name: value}))
            except (AttributeError, AssertionError, TypeError, ValueError):
                continue  # a field of another kind
            if len(written) <= MAX_ID_LENGTH and parse_custom_id(written):
                yield written


async def stored(open_house: Indoors, act: str) -> Stock:
    """Returns every row; leagues only for their own acts, as a tick may edit the posts of other leagues."""
    rows = await settled(open_house)
    return {table: found for table, found in rows.items() if table != "leagues" or "league" in act}


def check(act: str, what: str, reply: Reply) -> None:
    """Asserts an answer without an apology for an internal error."""
    assert not reply.failed, (act, what)
    assert not reply.text.startswith(FAILURE), (act, what, reply.text)


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("act", ordinarily(ACTS, *ACTS[::12]))
async def test_what_is_forged_is_answered_as_what_means_nothing(open_house: Indoors, act: str) -> None:
    row = ROWS[act]
    async with Scene.opened(open_house, row.scene) as here:
        person, channel = here.people[here.right], here.room.channel
        is_form = act.startswith(FORMS)
        for value in () if not row.given else TYPED if is_form else VALUES:
            reply = await do(here, act, replace(row, given=value.replace("{", "{{")), person, channel)
            check(act, repr(value), reply)
            if not is_form and value in MEANINGLESS and not act.startswith("rt-op:"):  # those open Explore in any case
                nothing = text("en", NO_SUCH_BUTTON), text("en", "moves.stale")
                often = text("en", "problem.too-often", again="")[:30]
                assert reply.text.startswith((*nothing, often)) or nothing[1] in reply.text, (act, value, reply.text)
        stranger, may = here.people["Eve"], (DONE, SHOWN, None)
        harmless = act.startswith(("rt-press", "rt-pick")) and row.right is SHOWN
        before = await stored(open_house, act)
        for custom_id in forged(here.filled(row.ident)):
            for one in (stranger, person) if row.stranger not in may else (person,):
                reply = await do(here, act, replace(row, ident=custom_id), one, channel)
                check(act, custom_id, reply)
                if one is stranger or harmless:
                    assert await stored(open_house, act) == before, (act, custom_id, one.name)
                before = await stored(open_house, act)
        await here.end()


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("name", ordinarily(SHEETS, "board"))
async def test_every_sheet_bears_any_variant_and_anybody(open_house: Indoors, name: str) -> None:
    async with Room.opened(open_house, f"sheets-{name}") as room:
        ada, bo, eve = await room.enter("Ada", "Bo", "Eve")
        played = await room.start("camelot", ada, bo)
        subjects = [(variant, user) for variant in ("-", "camelot") for user in (0, 1, played.number)]
        for custom_id in (f"rt-open:{name}:{key}:{user}:{eve.id}:{page}" for key, user in subjects for page in (0, 99)):
            check("rt-open", custom_id, await press_old(open_house, eve, room.channel, custom_id))


UNSEEN = part(f"problem.{Problem.NO_SUCH_GAME.value}")
NOT_MANAGER = part(f"problem.{Problem.NOT_MANAGER.value}")
"""The answer that is given before any game is looked for."""


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("act", ordinarily(ROWS, "rt:join", "rt:take-over", "rt-press:open", "rt-open", "/board"))
async def test_nothing_is_shown_of_a_channel_that_the_person_does_not_see(open_house: Indoors, act: str) -> None:
    row = ROWS[act]
    async with Scene.opened(open_house, row.scene) as here:
        await here.invite("Out")
        outsider, room = here.people["Out"], here.room
        made = await here.judge.call("POST", f"/app/guilds/{room.guild}/channels", {"name": f"{room.name}-aside"})
        await hide(here.judge, here.played.channel if here.played else room.channel)
        before = await settled(open_house)
        reply = await do(here, act, row, outsider, str(made["id"]))
        assert not reply.failed
        assert not reply.text.startswith(FAILURE), reply.text
        names_game = "{game}" in f"{row.ident} {row.given}"
        if names_game:
            assert (NOT_MANAGER if act.startswith("/referee") else UNSEEN) in reply.text, reply.text
            assert not reply.attachments
            assert not differences(before, await settled(open_house))
        else:
            assert f"#{here.number}" not in reply.text.split(), reply.text
        assert f"<#{room.channel}>" not in reply.text, reply.text
        for player in here.played.players if here.played else ():
            assert player.id not in reply.text or player.id in row.ident or act.startswith("/ladder"), reply.text


async def hide(judge: Person, channel: str) -> None:
    """Hides that channel from all but the bot and managers of the server."""
    place = f"/app/channels/{channel}/overwrites"
    await judge.call("PUT", place, {"of": "bot", "allow": int(Permission.VIEW_CHANNEL), "deny": 0})
    await judge.call("PUT", place, {"of": "everyone", "allow": 0, "deny": int(Permission.VIEW_CHANNEL)})
