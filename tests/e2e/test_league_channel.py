"""A league's channel that Discord denies for a moment."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from bot.core.clock import DAY, HOUR
from bot.texts.i18n import text
from sandbox.errors import Code
from sandbox.faults import refused, status
from sandbox.people import Person
from tests.e2e.clock import ClockHouse
from tests.e2e.faults.moving import EDIT, POST
from tests.e2e.room import Room, public, resign
from tests.e2e.seasons import begun, games, open_league
from tests.sentences import label

pytestmark = pytest.mark.asyncio(loop_scope="session")

HOUSE_FROM = datetime(2026, 3, 2, 18, tzinfo=UTC)


async def resign_all(house: ClockHouse, room: Room, crew: Sequence[Person]) -> None:
    """Ends all games of the latest league, so that its season has none to decide."""
    people = {int(person.id): person for person in crew}
    for match, (_, loser) in games(house):
        await resign(people[loser], room.channel, match)


async def let_it_try(house: ClockHouse) -> None:
    """Moves the clock through the pauses between the tries of a job."""
    for _ in range(4):
        await house.move_clock(600)


def sign_up_of(season: int) -> str:
    return f"season {season}: sign up!"


@pytest.mark.whole
async def test_one_post_and_a_list_of_games_begin_a_season(room: Room, house: ClockHouse) -> None:
    crew = await room.enter("Bo", "Cy", "Dee")
    bo = crew[0]
    sign_up = await open_league(room, "camette", "2", *crew)
    # The first thread is opened, but the bot does not hear of it.
    lost = house.server.faults.add("POST /channels/{channel_id}/threads", status(502, done=True))
    await begun(house, 3)
    threads = (
        "SELECT thread FROM matches JOIN league_games ON match = matches.id AND league = (SELECT max(id) FROM leagues)"
    )
    await house.until(lambda: all(thread for (thread,) in house.bot.query(threads)), "threads opened")
    assert lost.struck == 1
    await let_it_try(house)
    [(season,)] = house.bot.query("SELECT thread FROM league_seasons ORDER BY league DESC LIMIT 1")
    listed = await bo.wait_for(str(season), lambda said: text("en", "league.season-games") in said.text)
    for (thread,) in house.bot.query(threads):
        assert listed.text.count(f"<#{thread}>") == 1
        assert [said.pings_me for said in await public(bo, str(thread))]
    assert label("league-games") in listed.buttons
    in_channel = [
        said for said in await bo.messages(room.channel) if int(said.id) > int(sign_up.id) and not said.ephemeral
    ]
    assert ["finished games 0/3" in said.text for said in in_channel] == [True]


@pytest.mark.whole
async def test_wrong_404s_lose_and_double_nothing(room: Room, house: ClockHouse) -> None:
    crew = await room.enter("Bo", "Cy", "Dee")
    bo, wrong = crew[0], ((POST, Code.UNKNOWN_CHANNEL), (EDIT, Code.UNKNOWN_MESSAGE), (EDIT, Code.UNKNOWN_CHANNEL))

    def deny() -> None:
        for pattern, code in wrong:
            house.server.faults.add(pattern, refused(code))

    deny()
    await open_league(room, "camette", "1", *crew)
    deny()
    await begun(house, 3)
    await let_it_try(house)
    await bo.wait_for(room.channel, lambda said: "finished games 0/3" in said.text)
    await resign_all(house, room, crew)
    deny()
    await house.move_clock(7 * DAY)
    await let_it_try(house)
    await bo.wait_for(room.channel, lambda said: "season 1 is over" in said.text)
    await bo.wait_for(room.channel, lambda said: sign_up_of(2) in said.text)
    await house.move_clock(HOUR)
    about = [said.text for said in await public(bo, room.channel) if "season" in said.text]
    for words in ("the sign-up is over", "final table", "season 1 is over", sign_up_of(2)):
        assert len([said for said in about if words in said]) == 1, words


async def test_a_manager_opens_names_and_starts_a_league(room: Room, house: ClockHouse) -> None:
    crew = await room.enter("Bo", "Cy", "Dee")
    async with await room.house.join("Ada") as ada:
        panel = await ada.command(room.channel, "server league")
        assert panel.message is not None
        assert "⚠️" not in str(panel.message.json)
        panel = await ada.choose(panel, "rt-league-new:length", ["2-days"])
        managing = await ada.click(panel, label("league-open"))
        post = await ada.wait_for(room.channel, lambda said: label("league-join") in said.buttons)
        form = await ada.click(managing, label("league-rename"))
        managing = await ada.submit(form, {"name": "Winter cup"})
        await ada.wait_for(room.channel, lambda said: said.id == post.id and "Winter cup, season 1" in said.text)
        for person in crew:
            await person.click(post, label("league-join"))
        managing = await ada.click(managing, label("league-week-more"))
        asked = await ada.click(managing, label("league-start"))
        assert all(person.id in asked.text for person in crew)
        await ada.click(asked, label("league-start-sure"))
        await house.move_clock(60)
        await house.until(lambda: len(games(house)) == 3, "games begun")
        await ada.wait_for(room.channel, lambda said: "Winter cup, season 1" in said.text and "games 0/3" in said.text)
