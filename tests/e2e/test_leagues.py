"""Leagues with the real process and a clock that the test moves: from the panel to podium and promotion."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from bot.core.clock import DAY, HOUR
from bot.core.timings import DEFAULT_TIMINGS
from bot.leagues.seasons import BOARDS_WAIT_S
from bot.texts.i18n import text
from rules import VARIANTS, Game, format_move, legal_moves
from sandbox.errors import Code
from sandbox.faults import refused, status
from sandbox.people import Person
from sandbox.world import BOT_ID
from tests.e2e.clock import ClockHouse
from tests.e2e.faults.moving import EDIT, POST
from tests.e2e.game_checks import check_picture
from tests.e2e.room import Room, public, resign, set_server
from tests.e2e.seasons import begun, games, new_panel, open_league
from tests.sentences import confirmed, label, part

pytestmark = pytest.mark.asyncio(loop_scope="session")

HOUSE_FROM = datetime(2026, 3, 2, 18, tzinfo=UTC)


async def season_thread(person: Person, house: ClockHouse) -> str:
    """The thread of the first season of the latest league, as that person finds it."""
    [(league, thread)] = house.bot.query("SELECT league, thread FROM league_seasons ORDER BY league DESC LIMIT 1")
    assert str(thread) == await person.find(f"Tri-Camelot league {league}, season 1")
    return str(thread)


async def test_two_players_a_season_from_sign_up_to_the_next(room: Room, house: ClockHouse) -> None:
    ada, bo, cy, dee = await room.enter("Ada", "Bo", "Cy", "Dee")
    people = {int(person.id): person for person in (ada, bo, cy, dee)}
    post = await open_league(room, "camette", "2", *people.values())
    again = await ada.click(post, label("league-join"))
    assert "already" in again.text
    await begun(house, 6)
    table = await ada.wait_for(room.channel, lambda said: "finished games 0/6" in said.text)
    await check_picture(ada, table)
    by_strength = list(people)
    for match, users in games(house):
        loser = max(users, key=by_strength.index)
        await resign(people[loser], room.channel, match)
    await house.move_clock(700)
    table = await ada.wait_for(room.channel, lambda said: said.id == table.id and "games 6/6" in said.text)
    assert "games 6/6" in (await bo.click(table, label("league-table"))).text
    assert (await bo.click(table, label("league-games"))).text.count("https://discord.com/channels/") == 6
    await house.move_clock(14 * DAY)
    end = await ada.wait_for(room.channel, lambda said: "🥇" in said.text and "season 1 is over" in said.text)
    assert "🥇 Ada of" in end.text
    end_post = await ada.wait_for(room.channel, lambda said: "season 2: sign up!" in said.text)
    listed = await bo.click(end_post, label("league-games"))
    assert "season 1**\n1 person has signed up:\n" in listed.text, "the games that are over, and who is next"
    history = await cy.click(end_post, label("league-history"))
    assert "🥇" in history.text
    for person in (bo, cy, dee):  # they have given up games and made no move
        await person.click(end_post, label("league-join"))
    await begun(house, 6, season=2)


async def test_three_players_sit_in_rings_and_unfinished_games_are_decided(room: Room, house: ClockHouse) -> None:
    crew = await room.enter("Eve", "Fay", "Gus", "Hal")
    people = {int(person.id): person for person in crew}
    await open_league(room, "tri-camelot", "3", *crew)
    await begun(house, 4)
    played = games(house)
    attacks = {(users[seat], users[(seat + 1) % 3]) for _, users in played for seat in range(3)}
    assert len(attacks) == 12  # everybody attacks everybody once
    for match, users in played[:3]:  # each makes a move, but in the last game nobody does
        game = Game.start(VARIANTS["tri-camelot"])
        for user in users:
            move = format_move(legal_moves(game.position)[0], game.variant.board)
            said = await people[user].command(room.channel, "move", move=move, game=str(match))
            assert confirmed(move, match) in said.text
            game = game.play(move)
    for days in (3, 1, 3):  # a clock runs out, then its grace
        await house.move_clock(days * DAY)
    thread = await season_thread(crew[0], house)
    week = await crew[0].wait_for(thread, lambda said: "season 1**, which ends" in said.text)
    assert "⏰" in week.text
    await house.move_clock(7 * DAY)
    await crew[0].wait_for(thread, lambda said: text("en", "league.rules.adjudication") in said.text)
    await crew[0].call("DELETE", f"/app/channels/{thread}")
    await house.move_clock(5 * DAY)  # the last warning is posted all the same
    await crew[0].wait_for(room.channel, lambda said: text("en", "league.rules.adjudication") in said.text)
    await house.move_clock(2 * DAY)
    end = await crew[0].wait_for(room.channel, lambda said: "season 1 is over" in said.text)
    assert "🥇" in end.text
    await check_picture(crew[0], end)
    verdicts = house.bot.query(
        "SELECT verdict, points FROM league_games WHERE league = (SELECT max(id) FROM leagues) ORDER BY match"
    )
    assert [verdict for verdict, _ in verdicts].count("not-begun") == 1
    assert all(points is not None for _, points in verdicts)
    [(winner,), *_] = house.bot.query("SELECT user FROM league_seats WHERE place = 1 ORDER BY league DESC")
    assert "🥇" in (await crew[0].command(room.channel, "ladder profile", player=people[winner])).text


async def test_a_ruling_is_posted_to_the_players_and_the_audit_channel(room: Room, house: ClockHouse) -> None:
    ola, pia, quin = await room.enter("Ola", "Pia", "Quin")
    await open_league(room, "camette", "2", ola, pia, quin)
    await begun(house, 3)
    match, users = games(house)[0]
    people = {int(person.id): person for person in (ola, pia, quin)}
    audit = await room.add_channel("league-audit")
    async with await room.house.join("Ada") as judge:
        await set_server(judge, room.channel, audit=[audit])
        done = await judge.command(
            room.channel, "referee league", game=str(match), reason="Never came.", winner=str(users[1])
        )
        assert part("league.ruled-done") in done.text
        entry = await judge.wait_for(audit, lambda said: f"#{match}" in said.text)
        assert not entry.pings_me
        assert "> Reason: Never came." in entry.text
        refused = await judge.command(
            room.channel, "referee league", game=str(match), reason="Not of it.", winner=judge.id
        )
        assert "Not of it." not in refused.text
        await set_server(judge, room.channel, audit=[])
    [(thread,)] = house.bot.query("SELECT thread FROM matches WHERE id = ?", match)
    for user in users:
        said = await people[user].wait_for(str(thread), lambda said: "> Reason: Never came." in said.text)
        assert said.pings_me
    listed = await people[users[0]].command(room.channel, "games")
    assert "must be over" in listed.text


@pytest.mark.whole
async def test_news_that_a_timeout_has_outdated_is_not_posted(room: Room, house: ClockHouse) -> None:
    lea, mo, ned = await room.enter("Lea", "Mo", "Ned")
    post = await open_league(room, "camette", "1", lea, mo, ned)
    await lea.call("PUT", f"/app/guilds/{room.guild}/members/{BOT_ID}", {"timeout": 3600})
    await lea.command(room.channel, "help")  # a bot that has answered this knows of the timeout
    await house.move_clock(7 * DAY)
    await house.until(lambda: len(games(house)) == 3, "games begun")
    await house.move_clock(7 * DAY)
    await lea.call("PUT", f"/app/guilds/{room.guild}/members/{BOT_ID}", {"timeout": 0})
    await house.move_clock(DEFAULT_TIMINGS.unpostable_rest_s)
    await lea.wait_for(room.channel, lambda said: "season 2: sign up!" in said.text)
    await lea.wait_for(room.channel, lambda said: said.pings_me or part("league.signed-off-idle") in said.text)
    about_league = [
        said.text for said in await public(lea, room.channel) if said.id > post.id and "season" in said.text
    ]
    *about_league, recall = about_league
    assert part("league.signed-off-idle") in recall
    assert [*map(kind_of, about_league)] == ["over", "sign up"]


def kind_of(content: str) -> str:
    return next((words for words in ("over", "sign up", "finished games", "ends") if words in content), content)


@pytest.mark.whole
async def test_the_thread_of_a_season_waits_for_discord(room: Room, house: ClockHouse) -> None:
    lea, mo, ned = await room.enter("Lea", "Mo", "Ned")
    await open_league(room, "camette", "2", lea, mo, ned)
    broken = house.server.faults.add("POST /channels/*/messages/*/threads", status(503), times=None)
    await begun(house, 3)
    await house.move_clock(BOARDS_WAIT_S)
    await house.until(lambda: broken.struck > 0, "thread tried")
    await house.move_clock(3600)  # longer than Discord remembers nonces
    house.server.faults.lift()
    await house.move_clock(700)
    [(league,)] = house.bot.query("SELECT max(id) FROM leagues")
    thread = f"SELECT thread FROM league_seasons WHERE league = {league}"
    await house.until(lambda: house.bot.query(thread) != [(None,)], "thread opened")
    tables = [said for said in await public(lea, room.channel) if "finished games" in said.text]
    assert len(tables) == 1


# A channel that Discord denies for a moment, and its manager


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
    lines = "SELECT 1 FROM jobs WHERE kind = 'thread-lines'"
    await house.until(lambda: not house.bot.query(lines), "Discord's lines about threads deleted at once")
    await let_it_try(house)
    seasons = "SELECT thread FROM league_seasons ORDER BY league DESC LIMIT 1"
    await house.until(lambda: house.bot.query(seasons) != [(None,)], "thread opened")
    [(season,)] = house.bot.query(seasons)
    listed = await bo.wait_for(str(season), lambda said: text("en", "league.season-games") in said.text)
    world, people = house.server.world, {int(one.id) for one in crew}
    for (thread,) in house.bot.query(threads):
        assert listed.text.count(f"<#{thread}>") == 1
        assert len(people.intersection(world.channel(thread).members)) == 2, "it is in the players' list of threads"
    assert [world.pings(user) for user in people] == [1, 1, 1], "the list calls each person once to all their games"
    assert listed.pings_me
    assert label("league-games") in listed.buttons
    in_channel = [said for said in await public(bo, room.channel) if int(said.id) > int(sign_up.id)]
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
        panel = await new_panel(ada, room.channel)
        assert panel.message is not None
        assert "⚠️" not in str(panel.message.json)
        panel = await ada.choose(panel, "rt-league-new:length", ["2-days"])
        await ada.submit(await ada.click(panel, label("league-name")), {"name": "Autumn cup"})
        post = await ada.wait_for(room.channel, lambda said: "Autumn cup (Camette), season 1" in said.text)
        managing = await ada.command(room.channel, "server league")  # the league of this channel, without an option
        assert "Autumn cup" in managing.text
        managing = await ada.submit(await ada.click(managing, label("league-rename")), {"name": "Winter cup"})
        called = "Winter cup (Camette), season 1"
        await house.move_clock(60)  # a post that was edited just now is edited again only then
        await ada.wait_for(room.channel, lambda said: said.id == post.id and called in said.text)
        for person in crew:
            await person.click(post, label("league-join"))
        managing = await ada.click(managing, label("league-week-more"))
        asked = await ada.click(managing, label("league-start"))
        # The bug: sixty people were all named.
        assert all(said in asked.text for said in (f"{len(crew)} people have signed", *(one.id for one in crew)))
        await ada.click(asked, label("league-start-sure"))
        await house.move_clock(60)
        await house.until(lambda: len(games(house)) == 3, "games begun")
        await ada.wait_for(room.channel, lambda said: called in said.text and "games 0/3" in said.text)


async def test_a_manager_hears_once_of_a_deleted_channel(room: Room, house: ClockHouse) -> None:
    await room.enter("Bo")
    ada, attic = await room.enter_owner(), await room.add_channel("attic")
    panel = await new_panel(ada, attic)
    await ada.click(panel, label("league-open"))
    await ada.call("DELETE", f"/app/channels/{attic}")
    untold = "SELECT count(*) FROM league_news WHERE kind = 'no-channel'"
    await house.move_clock(60)
    await house.until(lambda: house.bot.query(untold) == [(1,)], "channel missed")
    for _ in range(2):
        await ada.command(room.channel, "server settings")
        await house.until(lambda: house.bot.query(untold) == [(0,)], "told")
    said = text("en", "league.no-channel", league="").partition("Its channel")[2]
    await ada.wait_for(room.channel, lambda message: said in message.text)
    assert sum(said in message.text for message in await ada.messages(room.channel)) == 1
