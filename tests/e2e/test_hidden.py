"""A channel that a person cannot see: nothing that they press or type elsewhere in the server reveals anything of
it.

Acts and scenes come from the table of permissions, so a new act is tested too.
"""

from __future__ import annotations

import pytest

from bot.core.problems import Problem
from sandbox.people import Person
from sandbox.permissions import Permission
from tests.e2e.answers import FAILURE
from tests.e2e.indoors import Indoors
from tests.e2e.permission_acts import do
from tests.e2e.permissions import ROWS
from tests.e2e.scenes import Scene
from tests.e2e.stock import differences, settled
from tests.examples import ordinarily
from tests.sentences import part

UNSEEN = part(f"problem.{Problem.NO_SUCH_GAME.value}")
EARLIER = {"/referee": part(f"problem.{Problem.NOT_MANAGER.value}")}
"""The answers given before any game is looked for."""


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("act", ordinarily(ROWS, "rt:join", "rt:take-over", "rt-press:open", "rt-open", "/board"))
async def test_nothing_is_shown_of_a_channel_that_the_person_does_not_see(court: Indoors, act: str) -> None:
    row = ROWS[act]
    async with Scene.opened(court, row.scene) as here:
        await here.invite("Out")
        outsider, room = here.people["Out"], here.room
        made = await here.judge.call("POST", f"/app/guilds/{room.guild}/channels", {"name": f"{room.name}-aside"})
        await hide(here.judge, here.played.channel if here.played else room.channel)
        before = await settled(court)
        reply = await do(here, act, row, outsider, str(made["id"]))
        assert not reply.failed
        assert not reply.text.startswith(FAILURE), reply.text
        names_game = "{game}" in f"{row.ident} {row.given}"
        if names_game:
            expected = next((said for start, said in EARLIER.items() if act.startswith(start)), UNSEEN)
            assert expected in reply.text, reply.text
            assert not reply.attachments
            assert not differences(before, await settled(court))
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
