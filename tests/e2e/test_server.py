"""What managers of a server can do, and what its members can ask of the bot for themselves."""

from __future__ import annotations

import pytest

from bot.play.limits import LIMITS
from bot.texts.i18n import text
from sandbox.people import Person, RefusedError, Reply
from tests.e2e.house import House
from tests.e2e.room import Played, Room, public, set_server
from tests.sentences import part

pytestmark = pytest.mark.asyncio(loop_scope="session")

WHY = "Both have asked me to."


async def rule(judge: Person, played: Played, act: str, **options: object) -> Reply:
    """Does a referee's act, with a reason."""
    number = str(played.number)
    reply = await judge.command(played.channel, f"referee {act}", game=number, reason=WHY, **options)
    assert reply.ephemeral
    return reply


# Setting a server up


async def test_what_is_set_for_a_server_holds_there_also_after_a_restart(own_room: Room) -> None:
    room, judge = own_room, await own_room.enter_owner()
    ada, bo = await room.enter("Ada", "Bo", locale="en-US")
    chess = await room.add_channel("chess")
    await set_server(judge, room.channel, language="no", channels=[chess], threads="no")
    said = await judge.command(room.channel, "server settings")
    assert f"- {text('en', 'server.channels.name')}: **<#{chess}>**" in said.text
    assert f"- {text('en', 'server.language.name')}: **norsk**" in said.text
    refused = await ada.command(room.channel, "play", variant="camelot")
    assert refused.ephemeral
    assert refused.text == text("en", "problem.channel-not-allowed", channels=f"<#{chess}>")
    await room.house.stop_bot()
    await room.house.start_bot()
    table = await room.set_table("camelot", ada, chess, thread=True)
    assert part("table.open", "no") in table.message.text
    await bo.click(table.message, "Bli med")
    table.players.append(bo)
    begun = await table.begun(chess)  # no thread, although the host asked for one
    assert "det er din tur" in begun.last.text
    said = await set_server(judge, room.channel, channels=[])
    assert f"{text('en', 'server.channels.name')}: **all**" in said.text
    said = await set_server(judge, room.channel, threads="yes", language="automatic")
    assert f"{text('en', 'server.language.name')}: **{text('en', 'server.language.automatic')}**" in said.text
    threaded = await room.set_table("camelot", ada)
    await threaded.join(bo)
    await threaded.begun(await ada.find(f"#{threaded.number}"))


async def test_house_rules_are_typed_into_a_form_and_shown_to_all(own_room: Room) -> None:
    room, judge = own_room, await own_room.enter_owner()
    (ada,) = await room.enter("Ada")
    assert "House rules" not in (await ada.command(room.channel, "help")).buttons
    said = await set_server(judge, room.channel, **{"house-rules": "Be kind.\nNo @everyone."})
    assert "House rules: **set**" in said.text
    for where in (
        await ada.command(room.channel, "help"),
        await ada.command(room.channel, "learn rules", variant="camelot"),
    ):
        shown = await ada.click(where, "House rules")
        assert shown.ephemeral
        assert shown.text == text("en", "server.house-rules.shown", rules="Be kind.\nNo @everyone.")
    with pytest.raises(RefusedError):
        await set_server(judge, room.channel, **{"house-rules": "x" * 1501})
    await set_server(judge, room.channel, **{"house-rules": ""})
    assert "House rules" not in (await ada.command(room.channel, "help")).buttons


async def test_a_channel_that_is_gone_is_not_offered_again(own_room: Room) -> None:
    room, judge = own_room, await own_room.enter_owner()
    await room.enter("Ada")
    one, other = await room.add_channel("one"), await room.add_channel("other")
    await set_server(judge, room.channel, channels=[one, other])
    await judge.call("DELETE", f"/app/channels/{other}")
    panel = await judge.command(room.channel, "server settings")
    asked = await judge.click(panel, "rt-server:group:games")
    assert asked.message
    menu = asked.message.component("rt-server:channels:channels")
    assert [str(shown["id"]) for shown in menu["default_values"]] == [one]
    assert (
        f"{text('en', 'server.channels.name')}: **<#{one}>**"
        in (await judge.choose(asked, menu["custom_id"], [one])).text
    )


async def test_who_posts_too_often_is_told_in_private_when_to_go_on(room: Room) -> None:
    played, ada, bo = await room.start_two()
    for _ in range(LIMITS["boards for all"].times):
        assert not (await bo.command(room.channel, "board", public=True)).ephemeral
    refused = await bo.command(room.channel, "board", public=True)
    assert refused.ephemeral
    assert refused.text.startswith(part("problem.too-often"))
    assert (await bo.command(room.channel, "board")).attachments  # in private there is no limit
    assert not (await ada.command(room.channel, "board", public=True)).ephemeral
    for _ in range(LIMITS["requests"].times):
        assert part("problem.nudge-too-soon") in (await played.press(bo, "nudge")).text
    assert part("problem.too-often") in (await played.press(bo, "nudge")).text
    assert "You played" in (await played.try_move("F7-F8")).text


# Refereeing


async def test_a_referee_is_offered_every_server_game_and_nobody_else_any(room: Room) -> None:
    played, *_ = await room.start_two()
    judge = await room.enter_owner()
    offered = await judge.autocomplete(room.channel, "referee undo", {"game": str(played.number)}, "game")
    assert offered[0].startswith(text("en", "game-choice.other", id=played.number, variant="Camelot", colour="White"))


async def test_every_act_is_entered_once_in_the_audit_channel(own_room: Room) -> None:
    room, judge = own_room, await own_room.enter_owner()
    ada, bo = await room.enter("Ada", "Bo")
    audit = await room.add_channel("audit")
    refused = await set_server(judge, room.channel, audit=[await judge.find("#read-only")])
    assert part("permission.missing") in refused.text
    assert "**Send Messages**" in refused.text
    await set_server(judge, room.channel, audit=[audit])
    played = await room.start("camelot", ada, bo)
    done = await rule(judge, played, "clock", player=ada, hours=5)
    assert done.text == text("en", "referee.done", id=played.number)
    entry = await judge.wait_for(audit, lambda said: "5 hours" in said.text)
    assert f"**#{played.number}** Camelot · <#{room.channel}>" in entry.text
    set_to = text("en", "referee.clock-set", emblem="⚪", colour="White", time="5 hours")
    assert f"{judge.name} {set_to}" in entry.text
    assert f"> Reason: {WHY}" in entry.text
    assert not entry.pings_me
    # The bot dies after the audit entry and before the announcement: afterwards both exist, once each.
    refuse_posts_in(room.house, room.channel)
    clock = {"game": str(played.number), "player": ada, "hours": 6, "reason": "Another."}
    await judge.command(room.channel, "referee clock", **clock)
    await room.house.kill_bot()
    room.house.meddle = None
    await room.house.start_bot()
    await ada.wait_for(room.channel, lambda said: "6 hours" in said.text)
    await judge.wait_for(audit, lambda said: "6 hours" in said.text)
    entries = [one for one in await public(judge, audit) if "/game move-here" not in one.text]  # nor of the lost place
    assert [("5 hours." in one.text, "6 hours." in one.text) for one in entries] == [(True, False), (False, True)]
    # The channel is deleted: the referee is notified, and the act holds.
    await judge.call("DELETE", f"/app/channels/{audit}")
    done = await rule(judge, played, "clock", player=ada, hours=7)
    assert part("referee.unaudited") in done.text
    await ada.wait_for(room.channel, lambda said: "7 hours" in said.text)


def refuse_posts_in(house: House, channel: str) -> None:
    """Makes Discord refuse the bot's public posts in that channel until `meddle` is removed."""

    def meddle(method: str, template: str, payload: object) -> None:
        if (method, template) == ("POST", "/channels/{channel_id}/messages") and "the referee" in str(payload):
            raise ValueError("not now")

    house.meddle = meddle
