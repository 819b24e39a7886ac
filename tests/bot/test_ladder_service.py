"""Ladders, ratings and profiles through the services and a real database."""

from __future__ import annotations

import json
from functools import partial

import pytest

from bot.core.clock import DAY, HOUR, Pace
from bot.core.deadlines import Actor
from bot.core.events import Event, EventKind, body_with_reason, format_outcome
from bot.core.match import Match, MessageRef, Phase
from bot.core.results import PlayerOutcome
from bot.core.settings import GuildSettings, Sharing, UserSettings
from bot.ladder import acts as ladder_acts
from bot.ladder import rows
from bot.ladder import service as ladders
from bot.ladder.acts import LadderProblem, LadderView
from bot.ladder.profile_rows import compare_people, leaderboard_page, profiles_of, rating_curve
from bot.ladder.state import EntryKind, LadderEntry
from bot.play.service import Service, people, upkeep
from bot.play.service.games import find_games, rating_effects
from bot.privacy.service import export_person, forget_person
from tests.bot import acts
from tests.bot.databases import write
from tests.bot.ladder_climbers import barred, challengeable_users
from tests.bot.played_ladders import CAMELOT, agrees, challenge, challenged, join, leave, play, queue, rungs, won
from tests.bot.playing import ADA, BO, CHANNEL, CY, DEE, GUILD, NOW

# Games


async def view(service: Service, now: int) -> LadderView:
    """Returns the ladder as at that time."""
    return await ladders.load_view(service, service.reader, CAMELOT, now)


async def post_challenge(service: Service, challenger: int, other: int, now: int) -> int:
    """Challenges, notes the message of the challenge, and returns the number of its entry."""
    seq = await challenge(service, challenger, other, now)
    entry = (await rows.load_entries(service.reader, CAMELOT))[seq - 1]
    await ladders.note_challenge_post(service, CAMELOT, entry, MessageRef(CHANNEL, seq))
    return seq


async def ends(service: Service) -> dict[int, EntryKind | None]:
    """Returns the kind of entry that ended each challenge which no longer waits; None if it is not told."""
    due = [job.note.split(":") for job in await service.reader.find_jobs("kind = 'challenge' AND due_at > 0")]
    return {int(seq): EntryKind[end[0].upper()] if end else None for _, seq, *end in due}


async def test_a_challenge_becomes_a_timed_game_that_moves_ratings_and_steps(service: Service) -> None:
    await people.change_guild_settings(service, GUILD, lambda _: GuildSettings(pace=Pace.NONE, ladder_channel=77))
    await join(service, ADA, BO, CY)
    assert challengeable_users(await view(service, NOW), ADA) == [BO, CY]
    match = await challenged(service, ADA, BO)
    terms = match.terms
    assert (match.phase, terms.ladder, terms.pace, match.place.channel) == (Phase.LIVE, True, Pace.STANDARD, 77)
    with barred(LadderProblem.CHALLENGING_ALREADY, other=BO, until=None):
        await challenged(service, ADA, CY)
    match = await won(service, match, ADA, NOW + HOUR)
    brought = await rating_effects(service.reader, match.id)
    assert await rows.rungs_moved_by(service.reader, match) == {ADA: (0, 1), BO: (0, 0)}
    assert brought.ratings[ADA].points_gained == -brought.ratings[BO].points_gained > 0
    assert await rungs(service) == {ADA: 1, BO: 0, CY: 0}
    standings = await ladders.load_standings(service, CAMELOT, NOW + HOUR)
    assert (standings.place_of(CY), standings.rows[0][1]) == (3, brought.ratings[ADA].after)
    kinds = [entry.kind for entry, _ in await rows.climber_history(service.reader, CAMELOT, BO)]
    assert kinds == [EntryKind.FINISHED, EntryKind.ACCEPTED, EntryKind.CHALLENGED, EntryKind.JOINED]
    assert await agrees(service)


async def test_an_answer_to_another_challenge_is_none(service: Service) -> None:
    await join(service, ADA, BO, CY)
    old = await challenge(service, ADA, BO, NOW)
    seen = await view(service, NOW)
    assert seen.lapses_at(seen.ladder.challenges[ADA]) == NOW + 72 * HOUR
    await ladders.act_on_ladder(service, Actor(BO, NOW), CAMELOT, partial(ladder_acts.refuse_challenge, seq=old))
    assert not (await view(service, NOW)).ladder.challenges
    new = await challenge(service, CY, BO, NOW + 1)
    with barred(LadderProblem.NO_CHALLENGE):
        await ladders.accept_challenge(service, Actor(BO, NOW + 1), CAMELOT, old)
    assert (await ladders.accept_challenge(service, Actor(BO, NOW + 1), CAMELOT, new)).players == (CY, BO)


async def test_who_runs_out_of_time_loses_without_a_claim_and_is_frozen(service: Service) -> None:
    await people.change_guild_settings(service, GUILD, lambda _: GuildSettings(pace=Pace.FAST))
    await join(service, ADA, BO)
    match = await challenged(service, ADA, BO)
    for hours in (12, 18, 24, 36):
        await upkeep.tick_matches(service, NOW + hours * HOUR)
    assert (await service.current_match(match.id, GUILD)).winners == (BO,)
    with barred(LadderProblem.FROZEN, until=NOW + 36 * HOUR + 7 * DAY):
        await queue(service, ADA, place=CAMELOT, now=NOW + 37 * HOUR)
    (profile,) = await profiles_of(service.reader, GUILD, ADA)
    assert (profile.late, profile.lost, profile.rating.games) == (1, 1, 0), "too short to be rated"


@pytest.mark.sqlite
async def test_a_games_end_and_what_is_announced_read_no_old_entries(service: Service) -> None:
    await join(service, ADA, BO)
    async with service.store.write_transaction() as tx:
        kinds = EntryKind.UNQUEUED, EntryKind.QUEUED
        entries = [LadderEntry(seq, NOW, kinds[seq % 2], (ADA,)) for seq in range(3, 2003)]
        await tx.run_batch([rows.write_entry(CAMELOT, entry, {}) for entry in entries])
        await rows.rebuild_state(tx, CAMELOT)
        await rows.mark_announced(tx, CAMELOT, 2002)
    match = await won(service, await challenged(service, ADA, BO), ADA, NOW)
    base = service.reader._connection.base
    await base.set_progress_handler(lambda: 1, 2_000)  # ends statements of so many steps
    assert await rows.rungs_moved_by(service.reader, match) == {ADA: (0, 1), BO: (0, 0)}
    told = await rows.unannounced_news(service.reader, CAMELOT)
    assert [news.entry.kind for news in told] == [EntryKind.CHALLENGED, EntryKind.ACCEPTED]


# What a referee decides


async def test_annulling_a_game_computes_everything_after_it_again(service: Service) -> None:
    await join(service, ADA, BO, CY)
    first = await won(service, await challenged(service, ADA, BO), ADA, NOW)
    second = await won(service, await challenged(service, BO, CY, NOW + 1), CY, NOW + 2)
    before = (await rating_effects(service.reader, second.id)).ratings[BO].before
    await acts.annul(service, first.id, GUILD, DEE, "a wager", NOW + 3)
    after = (await rating_effects(service.reader, second.id)).ratings[BO].before
    assert (before.games, after.games) == (1, 0)
    assert (await rating_effects(service.reader, first.id)).ratings == {}
    assert await rungs(service) == {CY: 1, ADA: 0, BO: 0}
    for user in (ADA, BO):
        ((told, _), *_) = await rows.climber_history(service.reader, CAMELOT, user)
        assert told.kind is EntryKind.ANNULLED, "both can read why"
    assert await agrees(service)


async def test_a_game_reopened_after_its_end_counts_when_it_ends_again(service: Service) -> None:
    await join(service, ADA, BO)
    match = await play(service, await challenged(service, ADA, BO), NOW)
    await acts.offer_draw(service, match.id, GUILD, ADA, NOW)
    await acts.accept_draw(service, match.id, GUILD, BO, NOW)
    assert (await rating_effects(service.reader, match.id)).ratings
    await acts.rewind(service, match.id, GUILD, DEE, 10, "a wrong board", NOW + 1)
    assert not (await rating_effects(service.reader, match.id)).ratings
    assert (await profiles_of(service.reader, GUILD, ADA))[0].drawn == 0
    with barred(LadderProblem.STILL_PLAYING, match=match.id):
        await leave(service, ADA, NOW + 1)
    await won(service, await service.current_match(match.id, GUILD), BO, NOW + 2)
    assert await rungs(service) == {BO: 1, ADA: 0}
    assert await agrees(service)


async def test_a_reopened_game_with_the_same_decision_is_over_on_the_ladder(service: Service) -> None:
    """As where a referee takes it back to just before a steward's capture that ended it: the steward captures again."""
    await join(service, ADA, BO)
    match = await won(service, await challenged(service, ADA, BO), ADA, NOW + DAY)
    ended = format_outcome(match.started_game.outcome)

    def rewind(match: Match, _: object) -> tuple[Event, ...]:
        back = (EventKind.REWOUND, DEE, body_with_reason(f"ply:{match.ply} back:{BO}", "a slip"))
        return match.next_events(NOW + 2 * DAY, back, (EventKind.RESIGNED, BO, ""), (EventKind.ENDED, None, ended))

    await service.change_match(match.id, rewind)
    assert await rungs(service) == {ADA: 1, BO: 0}
    assert await agrees(service)
    await leave(service, ADA, NOW + 3 * DAY)  # refused during a game


# By itself


async def test_the_tick_turns_seasons_exactly_once_also_after_days_down(service: Service) -> None:
    await people.change_guild_settings(service, GUILD, lambda _: GuildSettings(announcements=55))
    await join(service, ADA, BO)
    for _ in range(2):
        await ladders.tick_ladders(service, NOW)
    await won(service, await challenged(service, ADA, BO, NOW + 29 * DAY), ADA, NOW + 45 * DAY)
    for now in (NOW + 50 * DAY, NOW + 50 * DAY, NOW + 72 * DAY, NOW + 72 * DAY):
        await ladders.tick_ladders(service, now)
    told = await rows.unannounced_news(service.reader, CAMELOT)
    assert [news.entry.kind for news in told] == [
        *(EntryKind.SEASON_STARTED, EntryKind.CHALLENGED, EntryKind.ACCEPTED),
        *(EntryKind.SEASON_ENDED, EntryKind.SEASON_STARTED),
    ]
    assert [news.channels for news in told] == [(55, CHANNEL), (CHANNEL,), (CHANNEL,), (55, CHANNEL), (55, CHANNEL)]
    assert (told[3].entry.users, told[3].rungs) == ((ADA, BO), {ADA: (1, 0), BO: (0, 0)})
    assert await rows.unannounced_ladders(service.reader) == [CAMELOT]
    await write(service.store, rows.mark_announced, CAMELOT, told[-1].entry.seq)
    assert await rows.unannounced_ladders(service.reader) == []
    assert await rows.unannounced_news(service.reader, CAMELOT) == []
    assert await agrees(service)


@pytest.mark.parametrize("whose", ["the bot", "the server"])
async def test_a_challenge_is_answered_in_the_time_in_which_it_could_be(service: Service, whose: str) -> None:
    await join(service, ADA, BO)
    await service.presence.note_present(NOW + HOUR)
    seq = await post_challenge(service, ADA, BO, NOW + HOUR)
    back = NOW + 6 * DAY
    if whose == "the server":
        await service.presence.note_server_lost(GUILD, NOW + HOUR)
        for hours in range(2, 6 * 24, 2):
            await ladders.tick_ladders(service, NOW + hours * HOUR)
        await service.presence.note_servers_found({GUILD}.__contains__, back)
    else:
        await service.presence.note_present(back)
    end = back + 72 * HOUR
    for at in (back, back + 71 * HOUR, end - 1):
        await ladders.tick_ladders(service, at)
        seen = await view(service, at)
        assert seen.lapses_at(seen.ladder.challenges[ADA]) == end
    await ladders.tick_ladders(service, end + 5 * 60)
    assert await ends(service) == {seq: EntryKind.LAPSED}
    assert await agrees(service)


@pytest.mark.parametrize("noticed", [False, True])
async def test_a_challenge_is_accepted_after_an_absence_that_is_not_noted_yet(service: Service, noticed: bool) -> None:
    await join(service, ADA, BO)
    await service.presence.note_present(NOW)
    seq = await challenge(service, ADA, BO, NOW)
    if noticed:
        service.presence.note_connection_lost(NOW + HOUR)
        seen = await view(service, NOW + 4 * DAY)
        assert seen.lapses_at(seen.ladder.challenges[ADA]) > NOW + 4 * DAY
        await ladders.tick_ladders(service, NOW + 4 * DAY)
    assert (await ladders.accept_challenge(service, Actor(BO, NOW + 4 * DAY), CAMELOT, seq)).is_live


async def test_what_ended_a_challenge_is_known_unless_an_older_game_dropped_it(service: Service) -> None:
    await join(service, ADA, BO, CY)

    old = await post_challenge(service, ADA, BO, NOW)
    assert await ends(service) == {}
    match = await play(service, await ladders.accept_challenge(service, Actor(BO, NOW), CAMELOT, old), NOW)
    await acts.offer_draw(service, match.id, GUILD, ADA, NOW)
    await acts.accept_draw(service, match.id, GUILD, BO, NOW)
    new, other = [await post_challenge(service, *pair, NOW + 8 * DAY) for pair in ((ADA, BO), (BO, CY))]
    await acts.rewind(service, match.id, GUILD, DEE, 10, "a wrong board", NOW + 8 * DAY + 1)
    assert await ends(service) == {old: EntryKind.ACCEPTED}
    await won(service, await service.current_match(match.id, GUILD), BO, NOW + 8 * DAY + 2)
    assert await ends(service) == {old: EntryKind.ACCEPTED, new: None}
    assert CY in await rungs(service)  # the challenged user has not left
    await leave(service, CY, NOW + 9 * DAY)
    assert await ends(service) == {old: EntryKind.ACCEPTED, new: None, other: EntryKind.LEFT}


# People


async def test_boards_leave_out_who_hides_and_profiles_tell_what_was_played(service: Service) -> None:
    await join(service, ADA, BO)
    match = await won(service, await challenged(service, ADA, BO), ADA, NOW + HOUR)
    (profile,) = await profiles_of(service.reader, GUILD, ADA)
    assert (profile.won, profile.streak, profile.rung, len(profile.first_moves)) == (1, 1, 1, 1)
    assert (await profiles_of(service.reader, GUILD, BO))[0].streak == -1
    page = await find_games(service, GUILD, BO, "camelot", ADA, 9)
    (game,) = page.items
    assert (game.match, game.outcome) == (match.id, PlayerOutcome.LOST)
    assert (page.number, page.pages) == (0, 1), "not page 10 of 1"
    assert (game.points or 0) < 0
    assert (await find_games(service, GUILD, BO, "chivalry")).items == []
    assert await rating_curve(service.reader, *CAMELOT, ADA) == [profile.rating.shown_number]
    both = await compare_people(service.reader, GUILD, BO, ADA)
    assert (both.together, both.hidden) == ({"camelot": (0, 0, 1)}, frozenset())
    assert [row.user for row in (await leaderboard_page(service.reader, *CAMELOT, 0, NOW))[0].items] == [ADA, BO]
    await people.change_user_settings(service, Actor(ADA, NOW), lambda _: UserSettings(sharing=Sharing.NOTHING))
    board, own = await leaderboard_page(service.reader, *CAMELOT, 0, NOW, ADA)
    assert ([row.user for row in board.items], own) == ([BO], None)
    assert (await compare_people(service.reader, GUILD, ADA, BO)).hidden == {ADA}


async def test_those_who_are_forgotten_are_nobody_on_ladders_each_of_them_apart(service: Service) -> None:
    await join(service, ADA, BO, CY)
    for one, two, now in ((ADA, CY, NOW), (BO, CY, NOW + 9 * DAY)):
        await won(service, await challenged(service, one, two, now), one, now + 1)
    await challenged(service, ADA, BO, NOW + 10 * DAY)
    kept = json.loads(json.dumps(await export_person(service, ADA)))
    assert ([rating["games"] for rating in kept["ratings"]], len(kept["ladders"])) == ([1], 6)
    within = await export_person(service, int(str(ADA)[:-1]))
    assert within["ladders"] == [], "a number within another's is somebody else"
    for user in (ADA, BO):
        await forget_person(service, user, NOW + 11 * DAY)
    kept = await export_person(service, ADA)
    assert (kept["ratings"], kept["ladders"]) == ([], [])
    assert list(await rungs(service)) == [CY]
    board, _ = await leaderboard_page(service.reader, *CAMELOT, 0, NOW)
    assert [row.user for row in board.items] == [CY]
    assert [game.players for game in (await find_games(service, GUILD, CY)).items] == [(-2, CY), (-1, CY)]
    assert await agrees(service)
