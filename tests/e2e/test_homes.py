"""The place of each game: a thread, a forum post or the channel; and where the game moves if that place is shut."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from dataclasses import replace

import pytest
from discord import ChannelType

from bot.core.events import EventKind
from bot.play.places import HISTORY_PAGE
from bot.play.service.matches import THREAD_RENAME_PAUSE_S
from bot.store import Job
from bot.texts.i18n import text
from sandbox.discord_types import FORUM, NEWS, PUBLIC_THREAD, STAGE, VOICE, Channel
from sandbox.errors import Code
from sandbox.faults import refused, status
from sandbox.people import RefusedError
from sandbox.world import BOT_ID
from tests.e2e.faults.moving import POST, Only
from tests.e2e.game_checks import moves_of
from tests.e2e.permissions import ROWS
from tests.e2e.places import ATTACH_FILES, CREATE_PUBLIC_THREADS, SEND_MESSAGES, change, forbid, private_thread, settled
from tests.e2e.room import Room, ends, public, resign
from tests.e2e.stored_games import kinds
from tests.sentences import confirmed, part

pytestmark = pytest.mark.asyncio(loop_scope="session")

TAGS = ["camelot", "Tri-Camelot", "Help"]


async def make(room: Room, name: str, kind: int, **values: object) -> str:
    """Returns a channel of that type."""
    someone = next(iter(room.people.values()))
    body = {"name": f"{room.name}-{name}", "type": kind, **values}
    return str((await someone.call("POST", f"/app/guilds/{room.guild}/channels", body))["id"])


async def post_in(room: Room, forum: str, name: str, *, by_bot: bool = False) -> str:
    """Returns a forum post made by a person."""
    world, someone = room.house.server.world, next(iter(room.people.values()))
    owner = BOT_ID if by_bot else int(someone.id)
    thread = Channel(world.next_id(), room.guild, name, PUBLIC_THREAD, int(forum), owner, (BOT_ID,))
    world.put(thread)
    await someone.call("PATCH", f"/app/channels/{thread.id}", {"name": name})  # tells the bot and the page
    return await someone.find(name)


async def test_by_default_a_game_has_a_thread_of_its_own(room: Room) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    async with settled(room, threads="yes"):
        table = await room.set_table("camelot", ada)
        await table.join(bo)
        thread = await ada.find(f"#{table.number}")
        played = await table.begun(thread)
        # Both are notified once, and so is the thread.
        assert await played.called(played.last) == {ada.name, bo.name}
        assert {int(ada.id), int(bo.id)} <= {*room.house.server.world.channels[int(thread)].members}
        # Where it may open none, the board comes in the channel, and nothing is asked that would be refused.
        await forbid(ada, room.channel, CREATE_PUBLIC_THREADS)
        here = await room.start("camelot", ada, bo)
        assert here.channel == room.channel


async def test_a_game_has_a_forum_post_with_its_tag(room: Room) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    forum = await make(room, "forum", FORUM, tags=TAGS, needs_tag=True)
    async with settled(room, threads="yes", forum=forum) as judge:
        assert f"<#{forum}>" in (await judge.command(room.channel, "server settings")).text
        table = await room.set_table("camelot", ada)
        await table.join(bo)
        post = await ada.find(f"#{table.number}")
        played = await table.begun(post)
        assert ada.channels[post]["parent_id"] == forum
        assert ada.channels[post]["tags"] == ["camelot"]
        assert await played.called(played.last) == {ada.name, bo.name}
        await table.shows(text("en", "table.thread", thread=f"<#{post}>"))
        await ada.call("DELETE", f"/app/channels/{post}/messages/{post}")
        await played.move("F7-F8")
        await resign(bo, post)
        await room.house.until(lambda: ada.channels[post]["archived"], "archived")
        await table.shows(f"{ada.name} wins")
        assert ada.channels[post]["tags"] == ["camelot"]
        # A game for whose post no tag fits that must have one has a thread instead.
        other = await room.set_table("cam-3d", ada)
        room.house.server.world.put(replace(room.house.server.world.channels[int(forum)], tags=()))
        await judge.call("PATCH", f"/app/channels/{forum}", {"name": "bare"})
        await other.join(bo)
        thread = await ada.find(f"#{other.number}")
        assert ada.channels[thread]["parent_id"] == room.channel


async def test_a_thread_waits_longer_for_names_than_a_post(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    names = room.house.client.context.names
    fetch = names.fetch_members

    async def fetch_slowly(guild: int, users: list[int]) -> object:
        await asyncio.sleep(1.2)
        return await fetch(guild, users)

    async with settled(room, threads="yes"):
        table = await room.set_table("camelot", ada)
        names.forget_person(int(ada.id))
        monkeypatch.setattr(names, "fetch_members", fetch_slowly)
        await table.join(bo)
        assert ada.name in ada.channels[await ada.find(f"#{table.number}")]["name"]


async def test_more_lines_of_threads_than_a_page_holds_are_deleted(room: Room) -> None:
    (ada,) = await room.enter("Ada")
    context = room.house.client.context
    channel = context.client.get_channel(int(room.channel))
    for number in range(HISTORY_PAGE + 1):
        await channel.create_thread(name=f"line {number}", type=ChannelType.public_thread)
    async with context.service.store.write_transaction() as tx:
        await tx.add_jobs(Job("thread-lines", room.channel, room.guild, due_at=0))
    await room.house.move_clock(60)
    await room.house.until(lambda: not room.house.bot.query("SELECT 1 FROM jobs WHERE kind = 'thread-lines'"), "done")
    assert await ada.messages(room.channel) == []


async def test_thread_and_table_name_who_plays_and_at_last_the_result(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def find_none(*_: object) -> dict[int, str]:
        return {}

    ada, bo, cy = await room.enter("Ada", "Bo", "Cy")
    async with settled(room, threads="yes") as judge:
        table = await room.set_table("camelot", ada)
        await table.join(bo)
        thread = await ada.find(f"#{table.number}")
        played = await table.begun(thread)
        assert {ada.name, bo.name} < {*re.split(" – | · |#. ", ada.channels[thread]["name"])}
        await played.move("F7-F8")
        given = {"player": bo.id, "by": cy.id, "reason": "Bo is away."}
        await judge.command(thread, "referee replace", game=str(table.number), **given)
        await table.shows(cy.name)
        with monkeypatch.context() as patch:
            patch.setattr(room.house.client.context.names, "find_names", find_none)
            await room.house.move_clock(THREAD_RENAME_PAUSE_S)
            tried = "SELECT 1 FROM jobs WHERE kind = 'thread-name' AND tries > 0"
            await room.house.until(lambda: room.house.bot.query(tried), "tried without names")
        assert bo.name in ada.channels[thread]["name"]
        await room.house.move_clock(120)
        await room.house.until(lambda: cy.name in ada.channels[thread]["name"], "renamed")
        await resign(ada, thread)
        await table.shows(f"{cy.name} wins")


@pytest.mark.whole
async def test_a_game_has_one_post_though_the_answer_to_it_is_lost(room: Room) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    forum = await make(room, "lost", FORUM)
    async with settled(room, threads="yes", forum=forum):
        lost = room.house.server.faults.add("POST /channels/{channel_id}/threads", status(502, done=True))
        played = await room.start("camelot", ada, bo, thread=True)
    assert lost.struck == 1
    assert [one["id"] for one in ada.channels.values() if one["parent_id"] == forum] == [played.channel]


async def test_a_game_whose_thread_shuts_before_its_board_begins_in_the_channel(room: Room) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    forum = await make(room, "strict", FORUM)
    async with settled(room, threads="yes", forum=forum):
        table = await room.set_table("camelot", ada)
        post = await post_in(room, forum, f"#{table.number} Ada – Bo · Camelot", by_bot=True)
        await change(ada, post, locked=True)  # as a moderator's bot may do at once
        await table.join(bo)
        played = await table.begun(room.channel)
        await played.move("F7-F8")
    assert kinds(room.house, table.number).count(EventKind.THREADED) == 2  # there, and back permanently


@pytest.mark.parametrize("archived", [False, True], ids=["locked", "locked-and-archived"])
async def test_a_game_whose_thread_is_shut_goes_on_in_its_channel(room: Room, archived: bool) -> None:
    played, ada, bo = await room.start_two(thread=True)
    await change(ada, played.channel, locked=True, archived=archived)
    reply = await ada.command(room.channel, "move", move="F7-F8", game=str(played.number))
    assert "You played" in reply.text
    said = await bo.wait_for(room.channel, lambda said: "`F7-F8`" in said.text)
    assert said.pings_me
    assert EventKind.HOMELESS not in kinds(room.house, played.number)


async def test_the_end_of_a_locked_threads_game_is_announced_in_its_channel(room: Room) -> None:
    played, ada, bo = await room.start_two(thread=True)
    await change(ada, played.channel, locked=True)
    await resign(ada, room.channel, played.number)
    assert (await bo.wait_for(room.channel, ends())).pings_me


async def test_players_of_a_game_in_a_shut_thread_are_asked_to_act(room: Room) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    forum, audit = await make(room, "forum", FORUM), await room.add_channel("audit")
    async with settled(room, audit=audit) as judge:
        upstairs = await room.start("camelot", ada, bo, thread=True)
        played = await room.start("camelot", ada, bo, channel=upstairs.channel)
        post = await post_in(room, forum, f"{room.name} post")
        posted = await room.start("camelot", ada, bo, channel=post)
        for game in (played, posted):
            await change(ada, game.channel, locked=True, archived=True)
            told = await ada.command(room.channel, "move", move="F7-F8", game=str(game.number))
            assert text("en", "permission.shut", channel=f"<#{game.channel}>") in told.text
            assert text("en", "permission.elsewhere") in told.text
            await judge.wait_for(audit, lambda said, game=game: f"game #{game.number}" in said.text)  # type: ignore[misc]  # default: this game
            assert EventKind.HOMELESS in kinds(room.house, game.number)
        ended = [f"match={game.number} event=cannot post" for game in (played, posted)]
        await room.house.until(lambda: all(line in room.house.bot.log for line in ended), "given up")
        requests = len(room.house.bot.log.split("not announced"))
        moved = await bo.command(room.channel, "game move-here", game=str(posted.number))
        assert moved.text == text("en", "place.moved", id=posted.number)
        assert len(room.house.bot.log.split("not announced")) == requests


async def test_in_a_private_thread_the_absent_bot_asks_to_be_mentioned(room: Room) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    thread = await private_thread(room, ada, bo)
    played = await room.start("camelot", ada, bo, channel=thread)
    world = room.house.server.world
    world.put(replace(world.channels[int(thread)], members=(int(ada.id), int(bo.id))))
    uninvited = text("en", "permission.uninvited", channel=f"<#{thread}>")
    assert (await ada.command(thread, "play", variant="camelot")).text == uninvited
    assert (await ada.command(thread, "game move-here", game=str(played.number))).text == uninvited
    moved = await ada.command(room.channel, "move", move="F7-F8", game=str(played.number))
    assert moved.text == " ".join(
        [part("move.unposted", move="F7-F8", id=played.number).strip(), uninvited, text("en", "permission.elsewhere")]
    )


@pytest.mark.long
async def test_a_game_whose_forum_was_deleted_resumes_where_its_table_was(room: Room) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    forum, attic = await make(room, "doomed", FORUM), await room.add_channel("attic")
    async with settled(room, threads="yes", forum=forum):
        games = [await room.start("camelot", ada, bo, channel=one, thread=True) for one in (room.channel, attic)]
        # The table's channel is not where the game is.
        await ada.call("DELETE", f"/app/channels/{attic}")
        await games[1].move("F7-F8")
        assert EventKind.HOMELESS not in kinds(room.house, games[1].number)
        await ada.call("DELETE", f"/app/channels/{forum}")
        said = await ada.wait_for(room.channel, lambda said: f"thread of game #{games[0].number}" in said.text)
        assert said.pings_me


@pytest.mark.whole
async def test_a_channel_that_lets_nobody_write_is_asked_once(room: Room) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    attic = await room.add_channel("attic")
    played = await room.start("camelot", ada, bo, channel=attic)
    await forbid(ada, attic, SEND_MESSAGES)
    await ada.command(room.channel, "move", move="F7-F8", game=str(played.number))
    asked = Only(status(403), attic)
    rule = room.house.server.faults.add(POST, asked, times=None)
    told = await bo.command(room.channel, "move", move="F10-F9", game=str(played.number))
    rule.left = 0
    assert "**Send Messages**" in told.text
    assert asked.struck == {attic: 0}


async def test_players_play_again_by_one_press_each_with_colours_swapped(room: Room) -> None:
    ada, bo, cy = await room.enter("Ada", "Bo", "Cy")
    played = await room.start("camelot", ada, bo, thread=True)
    await played.move("F7-F8")
    await resign(bo, played.channel)
    ended = await ada.wait_for(played.channel, ends())
    assert ended.buttons == ["Replay", "Review", "Explore", "Rematch"]
    nobody = await cy.click(ended, "Rematch")
    assert nobody.ephemeral
    assert text("en", "problem.not-a-player", number=played.number) == nobody.text
    asked = await bo.click(ended, "Rematch")
    assert asked.ephemeral
    # The table stands where the first one stood, and the new game has a thread of its own.
    table = await ada.wait_for(room.channel, lambda said: text("en", "table.rotated", id=played.number) in said.text)
    assert table.pings_me
    assert table.id in asked.text
    due = "SELECT 1 FROM jobs WHERE due_at IS NOT NULL AND kind IN ('buttons', 'table', 'thread')"
    await room.house.until(lambda: not room.house.bot.query(due), "edited")
    # As after a crash before the post.
    room.house.bot.query("UPDATE matches SET table_message = NULL WHERE table_message = ?", int(table.id))
    again = await ada.click(ended, "Rematch")
    assert again.ephemeral
    assert table.id in again.text
    await ada.click(table, "Join")
    # The table says who plays as soon as they do, and where once the thread is open.
    began = await bo.wait_for(room.channel, lambda said: said.id == table.id and part("table.thread") in said.text)
    thread = began.text.rpartition("<#")[2].partition(">")[0]
    assert thread != played.channel
    first = await bo.wait_for(thread, lambda said: bool(said.attachments))
    assert first.pings_me
    assert f"⚪ <@{bo.id}>" in first.text


@pytest.mark.whole
async def test_an_unpostable_rematch_is_refused_to_each_and_set_by_retry(room: Room) -> None:
    played, ada, bo = await room.start_two()
    await resign(bo, room.channel)
    ended = await ada.wait_for(room.channel, ends())
    faults, world = room.house.server.faults, room.house.server.world
    faults.add(POST, refused(Code.MISSING_PERMISSIONS), times=None)
    for reply in await asyncio.gather(*(person.click(ended, "Rematch") for person in (ada, bo))):
        assert part("permission.refused") in reply.text
    faults.lift()
    guild = world.guild(room.guild)
    world.put(replace(guild, members=tuple(number for number in guild.members if str(number) != bo.id)))
    faults.add(POST, status(503))
    assert (await ada.click(ended, "Rematch")).ephemeral
    table = await ada.wait_for(room.channel, lambda said: text("en", "table.rotated", id=played.number) in said.text)
    assert bo.id not in table.text, "who has left the server is not invited"
    assert "Decline" not in table.buttons


async def places(room: Room) -> dict[str, str]:
    """A place of each type in which people talk."""
    ada = room.people["Ada"]
    forum = await make(room, "all", FORUM)
    thread = await (await room.start("camelot", ada, room.people["Bo"], thread=True)).players[0].find(room.channel)
    private = await private_thread(room, ada, room.people["Bo"], room.people["Cy"])
    return {
        "text": thread,
        "announcement": await make(room, "news", NEWS),
        "voice": await make(room, "voice", VOICE),
        "stage": await make(room, "stage", STAGE),
        "post": await post_in(room, forum, f"{room.name} talk"),
        "private thread": private,
    }


async def test_games_are_played_and_ladders_climbed_in_places_of_every_type(room: Room) -> None:
    ada, bo, _ = await room.enter("Ada", "Bo", "Cy")
    for number, (kind, place) in enumerate((await places(room)).items()):
        played = await room.start(
            "camelot", *((ada, bo) if number % 2 else (bo, ada)), channel=place
        )  # neither too often
        await played.move("F7-F8", game=str(played.number))
        for person in (ada, bo):
            with suppress(RefusedError):
                await person.command(place, "ladder leave", variant="camelot")
            await person.command(place, "ladder join", variant="camelot")
        await ada.command(place, "ladder queue", variant="camelot")
        begun = await bo.command(place, "ladder queue", variant="camelot")
        where = room.channel if kind == "private thread" else place
        assert f"/{where}/" in begun.text or len(await public(ada, where)) > 2, (kind, begun.text)


@pytest.mark.long
async def test_every_command_answers_in_places_of_every_type(room: Room) -> None:
    ada, bo, cy = await room.enter("Ada", "Bo", "Cy")
    failure = part("failure.unknown")
    for number, (kind, place) in enumerate((await places(room)).items()):
        # Nobody does that much in a minute; but only members can enter a private thread.
        (host,) = [ada] if kind == "private thread" else await room.enter(f"Host {number}")
        played = await room.start("camelot", host, bo, channel=place)
        names = {"game": played.number, "friend": cy.id, "ada": host.id, "bo": bo.id, "dee": cy.id, "league": 1}
        for act, row in ROWS.items():
            if not act.startswith("/") or isinstance(row.given, str):
                continue
            given = {key: one.format(**names) if isinstance(one, str) else one for key, one in row.given.items()}
            with suppress(RefusedError):  # commands for those who manage the server
                reply = await host.command(place, act.removeprefix("/"), **given)
                assert not reply.failed, (kind, act)
                assert failure not in reply.text, (kind, act, reply.text)


# Threads, channels with many games, and places where the bot may not write


async def test_a_game_stays_in_its_thread_which_is_archived_afterwards(room: Room) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    table = await room.set_table("cam-3d", ada, thread=True)
    await table.join(bo)
    thread = await ada.find(f"#{table.number}")
    played = await table.begun(thread)
    await table.shows(text("en", "table.thread", thread=f"<#{thread}>"))
    for move in moves_of("cam-3d-capture"):
        reply = await played.try_move(move)  # no `game`: in a thread its game is meant
        assert "You played" in reply.text
        mover, played.game = played.mover, played.game.play(move)
        await played.told(mover)
    await ada.wait_for(thread, ends())
    await room.house.until(lambda: ada.channels[thread]["archived"], "archived")
    assert not ada.channels[thread]["locked"]
    assert len(await public(ada, room.channel)) == 1  # the channel has seen the table alone


async def test_a_thread_that_was_archived_wakes_up_with_the_next_turn(room: Room) -> None:
    played, ada, _ = await room.start_two(thread=True)
    await change(ada, played.channel, archived=True)
    reply = await ada.command(room.channel, "move", move="F7-F8")
    assert "You played" in reply.text
    played.game = played.game.play("F7-F8")
    await played.told(ada)
    assert not ada.channels[played.channel]["archived"]


async def test_a_game_whose_thread_was_deleted_goes_on_in_its_channel(room: Room) -> None:
    played, ada, _ = await room.start_two(thread=True)
    await ada.call("DELETE", f"/app/channels/{played.channel}")
    played.channel = room.channel
    said = await ada.wait_for(room.channel, lambda said: part("place.thread-gone") in said.text)
    assert said.pings_me
    assert said.text.startswith(part("place.thread-gone", players=f"<@{ada.id}>", id=played.number, variant="Camelot"))
    assert "Move" in said.buttons
    played.last = said
    await played.move("F7-F8")
    await played.move("F10-F9")


async def test_a_call_whose_thread_was_deleted_is_heard_in_the_channel(room: Room) -> None:
    ada, bo, cy, dee = await room.enter("Ada", "Bo", "Cy", "Dee")
    table = await room.set_table("tri-camelot", ada, thread=True)
    await table.join(bo)
    await table.join(cy)
    thread = await ada.find(f"#{table.number}")
    played = await table.begun(thread)
    await resign(ada, thread)
    await played.calls(bo, cy)
    await ada.call("DELETE", f"/app/channels/{thread}")
    said = await bo.wait_for(room.channel, lambda said: part("place.thread-gone-vacant") in said.text)
    assert said.pings_me
    taken = await dee.click(said, "Take over Blue")
    assert taken.text == text("en", "leaver.done.taken-over", colour="Blue", id=played.number, where="")
    played.channel, played.players[0], played.last = room.channel, dee, said
    await played.calls(dee)


async def test_a_game_begun_in_a_thread_hears_of_its_deletion(room: Room) -> None:
    played, ada, bo = await room.start_two(thread=True)
    second = await room.start("camelot", ada, bo, channel=played.channel)
    await ada.call("DELETE", f"/app/channels/{played.channel}")
    await ada.wait_for(room.channel, lambda said: f"thread of game #{played.number}" in said.text)
    await room.house.until(lambda: EventKind.HOMELESS in kinds(room.house, second.number), "homeless")
    assert f"`/game move-here game:{second.number}`" in (await bo.command(room.channel, "games")).text
    moved = await bo.command(room.channel, "game move-here", game=str(second.number))
    assert moved.text == text("en", "place.moved", id=second.number)


async def test_among_many_games_the_waiting_one_here_is_meant_or_asked_for(room: Room) -> None:
    ada, bo, cy = await room.enter("Ada", "Bo", "Cy")
    other_channel = await room.add_channel("upstairs")
    first = await room.start("camelot", ada, bo)
    second = await room.start("chivalry", bo, ada)
    upstairs = await room.start("camelot", ada, cy, channel=other_channel)
    # Ada is to move in the first, Bo in the second.
    await first.try_move("F7-F8", ada)
    assert f"#{first.number}" in (await public(ada, room.channel))[-1].text
    # No game here waits for Ada any more; one upstairs does, so no command of hers here has a single meaning.
    unclear = await ada.command(room.channel, "move", move="F7-F8")
    assert part("problem.which-game") in unclear.text
    assert all(f"#{one.number}" in unclear.text for one in (first, second, upstairs))
    waiting = f"#{second.number} Chivalry: White to move"
    assert (unclear.ephemeral, len(unclear.buttons), waiting in unclear.buttons) == (True, 3, True)
    assert not (await ada.command(room.channel, "game substitute", player=cy)).buttons  # which carry no people
    assert (await ada.click(unclear, waiting)).text.startswith(part("problem.not-your-turn", number=second.number))
    unclear = await ada.command(room.channel, "board", turn="0", text=True)
    there = await ada.click(unclear, waiting)
    assert (there.ephemeral, there.attachments) == (True, [])
    assert f"**Chivalry** · game #{second.number} · at the start." in there.text
    # Now both here wait for Bo.
    unclear = await bo.command(room.channel, "move", move="F7-F8")
    assert unclear.text == (
        text("en", "problem.which-game", candidates=f"#{first.number} or #{second.number}")
    ) or unclear.text == (text("en", "problem.which-game", candidates=f"#{second.number} or #{first.number}"))
    offered = await bo.autocomplete(room.channel, "move", {"move": "", "game": ""}, "game")
    assert sorted(offered) == sorted([f"#{first.number} Camelot: your turn", f"#{second.number} Chivalry: your turn"])
    assert unclear.buttons == offered
    unclear = await bo.command(room.channel, "move", move="F10-F9")
    by_button = await bo.click(unclear, f"#{first.number} Camelot: your turn")
    assert confirmed("F10-F9", first.number) in by_button.text
    elsewhere = await ada.command(room.channel, "move", move="F7-F8", game=str(upstairs.number))
    there = text("en", "move.see", where=f"<#{other_channel}>")
    assert f"{confirmed('F7-F8', upstairs.number)} {there}" in elsewhere.text
    listed = (await ada.command(room.channel, "games")).text
    lines = listed.splitlines()
    assert lines[0] == "**Your games**"
    assert len(lines) == 7
    assert f"**#{first.number}**" in lines[1]
    assert "**your turn**" in lines[2]
    assert "https://discord.com/channels/" in listed
    others = (await cy.command(room.channel, "games", player=ada)).text
    assert "**your turn**" in others  # Cy's own turn upstairs
    assert f"<@{ada.id}>" in others


async def test_a_missing_permission_is_named_to_the_one_who_asks(room: Room) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    stored = room.house.bot.events()
    refused = await ada.command("#read-only", "play", variant="camelot")
    assert refused.ephemeral
    assert part("permission.missing") in refused.text
    assert "**Send Messages**" in refused.text
    await forbid(ada, room.channel, ATTACH_FILES | CREATE_PUBLIC_THREADS)
    refused = await ada.command(room.channel, "play", variant="camelot", thread=True)
    assert "**Attach Files**" in refused.text
    assert "**Create Public Threads**" in refused.text
    assert room.house.bot.events() == stored
    await forbid(ada, room.channel, 0)
    await room.start("camelot", ada, bo)
