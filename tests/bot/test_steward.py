"""A steward at the table: when it takes the seat, its automatic moves, and their announcement."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from bot.core import leaving, offers, refereeing
from bot.core.clock import DAY, HOUR
from bot.core.events import Ballot, Event, EventKind, format_outcome
from bot.core.fold import match_at, replay_match
from bot.core.match import Match
from bot.core.news import collect_news
from bot.core.problems import Problem
from bot.core.results import derive_results, finished_game
from bot.core.settings import UserSettings
from bot.play.announcing.telling import make_notice, order_lines
from bot.play.service import Service, games, people, upkeep
from bot.texts.i18n import Language, text
from bot.thoughts.service import list_moves
from rules import Cause, Outcome, format_record
from tests.bot import acts, answers
from tests.bot.beginning import begun
from tests.bot.confirmed_plans import setup
from tests.bot.played_ladders import agrees, play
from tests.bot.playing import ADA, BO, CY, DEE, GUILD, NOW, by, existing, random_move, refused

PROVOKED = "tri-camelot Blue Blue:F3,C6,I6 Red:F7,C12 Green:J15,J11"
"""After Blue's F3-F5, Red must capture."""
LATER = NOW + 6 * DAY


@pytest.fixture
def provoked(monkeypatch: pytest.MonkeyPatch) -> None:
    setup(monkeypatch, PROVOKED)


async def voting(service: Service, *moves: tuple[int, str]) -> Match:
    """Bo has left after those moves without a substitute; Ada and Cy vote."""
    match = await begun(service, "tri-camelot")
    await acts.resign(service, match.id, GUILD, BO, NOW)
    for user, move in moves:
        await acts.move(service, match.id, GUILD, user, move, NOW + HOUR)
    await upkeep.tick_matches(service, NOW + 2 * DAY)
    return await service.current_match(match.id, GUILD)


async def stewarded(service: Service, *moves: tuple[int, str]) -> Match:
    """The two have agreed to continue."""
    match = await voting(service, *moves)
    for user in (ADA, CY):
        match = await acts.cast_vote(service, match.id, GUILD, user, Ballot.PLAY_ON, LATER)
    return match


def said(locale: Language, match: Match, events: tuple[Event, ...]) -> str:
    """Returns the text of the last news."""
    item = collect_news(match.id, events, 0)[-1]
    told = make_notice(locale, item, "")
    return "\n".join([existing(told).text, *([] if item.earlier else order_lines(locale, item))])


async def test_where_the_two_agree_to_play_on_a_steward_sits_and_passes(service: Service) -> None:
    match = await stewarded(service, (ADA, "G4-G8"))
    assert (match.vacancy, match.to_move, match.still_in, match.resigned_users) == (None, CY, (ADA, CY), (BO,))
    assert match.started_game.position.stewards == {1}
    match = await acts.move(service, match.id, GUILD, CY, "H13-G14", LATER)
    match = await acts.move(service, match.id, GUILD, ADA, "E4-E2", LATER)
    assert (match.ply, match.to_move) == (3, CY)
    events = await service.reader.load_events(match.id)
    assert events[-1].body == "E4-E2 pass:1", "its pass is stored with the move before, as any other"
    (item,) = collect_news(match.id, events, events[-2].seq)
    assert item.calls == (CY,)
    for locale, words in (("en", "🔴 Red's steward passes."), ("no", "🔴 Forvalteren til Rød står over.")):
        assert words in said(locale, match, events)


async def test_a_call_and_a_vote_that_run_out_also_end_with_stewards(service: Service) -> None:
    match = await voting(service)
    await upkeep.tick_matches(service, NOW + 6 * DAY)
    match = await service.current_match(match.id, GUILD)
    assert (match.vacancy, match.started_game.position.stewards) == (None, {1})


@pytest.mark.usefixtures("provoked")
async def test_a_steward_moves_in_the_previous_moves_transaction_with_one_announcement(service: Service) -> None:
    match = await stewarded(service, (ADA, "C6-D5"))
    match = await acts.move(service, match.id, GUILD, CY, "J11-J9", LATER)
    before = match.seq
    match = await acts.move(service, match.id, GUILD, ADA, "F3-F5", LATER)
    assert (match.to_move, match.still_in) == (CY, (ADA, CY))
    events = await service.reader.load_events(match.id)
    assert [(event.kind, event.body) for event in events[before:]] == [
        (EventKind.MOVED, "F3-F5"),
        (EventKind.MOVED, "F7xF3 auto"),
    ]
    (item,) = collect_news(match.id, events, before)
    assert (item.seq, item.calls, [one.user for one in item.told_together]) == (match.seq, (CY,), [ADA, None])
    assert "`F3-F5`" in said("en", match, events)
    assert "🔴 **Red** (steward) jumps `F7xF3`, capturing one piece from Blue." in said("en", match, events)
    assert "🔴 **Rød** (forvalter) slår `F7xF3` (én brikke fra Blå)." in said("no", match, events)
    assert replay_match(match.id, events) == match
    assert "steward:Red" in format_record(match.started_game)
    assert match_at(match.id, events, match.ply - 1).started_game.position.steward_to_move
    assert BO not in derive_results(match.id, events).moved, "nobody has made the steward's move"


@pytest.mark.usefixtures("provoked")
async def test_a_leaver_with_a_capture_due_leaves_it_to_the_steward(service: Service) -> None:
    match = await stewarded(service, (ADA, "F3-F5"))
    assert (match.ply, match.to_move) == (2, CY)
    events = await service.reader.load_events(match.id)
    assert [event.kind for event in events[-3:]] == [EventKind.VOTED, EventKind.PASSIVE, EventKind.MOVED]
    item = collect_news(match.id, events, 0)[-1]
    assert ([one.kind for one in item.told_together], item.calls) == ([EventKind.PASSIVE, EventKind.MOVED], (CY,))
    told = said("en", match, events)
    assert text("en", "leaver.steward", emblem="🔴", colour="Red") in told
    assert "`F7xF3`" in told


@pytest.mark.usefixtures("provoked")
async def test_a_referees_undo_up_to_a_stewards_turn_replays_its_move(service: Service) -> None:
    match = await stewarded(service, (ADA, "F3-F5"))
    match = await acts.move(service, match.id, GUILD, CY, "J11-J9", LATER)
    match = await acts.rewind(service, match.id, GUILD, DEE, 1, "A slip.", LATER)
    assert (match.ply, match.to_move) == (2, CY)
    events = await service.reader.load_events(match.id)
    item = collect_news(match.id, events, 0)[-1]
    assert [one.kind for one in item.told_together] == [EventKind.REWOUND, EventKind.MOVED]
    assert item.calls == (ADA, BO, CY)


@pytest.mark.usefixtures("provoked")
async def test_a_takeback_includes_the_stewards_answer_without_asking_the_leaver(service: Service) -> None:
    match = await stewarded(service, (ADA, "C6-D5"))
    match = await acts.move(service, match.id, GUILD, CY, "J11-J9", LATER)
    match = await acts.move(service, match.id, GUILD, ADA, "F3-F5", LATER)
    match = await acts.ask_takeback(service, match.id, GUILD, ADA, LATER)
    assert offers.users_awaited(match, answers.TAKEBACK) == (CY,)
    match = await acts.accept_takeback(service, match.id, GUILD, CY, LATER)
    assert (match.ply, match.to_move) == (2, ADA)
    assert match.started_game.position.stewards == {1}
    with refused(Problem.TAKEBACK_BARRED):
        refereeing.rewind_match(match, by(DEE, LATER), 0, "Further.")


async def test_the_only_move_after_a_stewards_is_also_played_by_itself(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup(monkeypatch, "tri-camelot Blue Blue:F3,C6,J15 Red:F7,C12 Green:J17")
    await people.change_user_settings(service, by(CY), lambda _: UserSettings(automove=True))
    match = await stewarded(service, (ADA, "F3-F5"))
    assert (match.ply, match.to_move) == (3, ADA)


async def test_the_leaver_is_last_and_the_two_others_have_played_it_out(service: Service) -> None:
    match = await stewarded(service)
    with refused(Problem.ALREADY_LEFT):
        leaving.resign(match, by(BO, LATER))
    match = await acts.resign(service, match.id, GUILD, CY, LATER)
    assert match.outcome == (Cause.RESIGNATION, (0,))
    over = finished_game(match)
    assert (over.winners, [leaver.user for leaver in over.leavers]) == ((ADA,), [BO, CY])


@pytest.mark.parametrize("ballot", [Ballot.PLAY_ON, Ballot.HOUSE])
async def test_with_a_steward_or_house_leavers_fall_and_the_others_are_rated(service: Service, ballot: Ballot) -> None:
    match = await play(service, await begun(service, "tri-camelot"), NOW, 15)
    await acts.resign(service, match.id, GUILD, BO, NOW)
    await upkeep.tick_matches(service, NOW + 2 * DAY)
    for user in (ADA, CY):
        match = await acts.cast_vote(service, match.id, GUILD, user, ballot, LATER)
    won = (EventKind.ENDED, None, format_outcome(Outcome(Cause.CASTLE, (0,))))
    match = await service.change_match(match.id, lambda match, _: match.next_events(LATER, won))
    changed = (await games.rating_effects(service.reader, match.id)).ratings
    assert changed.keys() == {ADA, BO, CY}
    assert changed[ADA].points_gained > 0 > changed[CY].points_gained
    assert changed[BO].points_gained < 0
    assert await agrees(service)


async def test_a_server_that_has_no_house_players_offers_none(service: Service) -> None:
    await people.change_guild_settings(service, GUILD, lambda settings: replace(settings, house=False))
    match = await voting(service)
    assert existing(match.vacancy).ballot_choices == (Ballot.PLAY_ON, Ballot.DRAW, Ballot.ABANDON)


async def test_a_stewards_capture_is_nobodys_move(service: Service) -> None:
    match, rng = await stewarded(service), random.Random(5)
    while not any(made.before.steward_to_move for made in list_moves(match)):
        match = await acts.move(service, match.id, GUILD, existing(match.to_move), random_move(match, rng), LATER)
    assert {made.user is None for made in list_moves(match) if made.before.steward_to_move} == {True}


@pytest.mark.parametrize("vacant", [False, True])
async def test_whoever_loses_the_last_piece_is_told_what_follows(
    service: Service, monkeypatch: pytest.MonkeyPatch, vacant: bool
) -> None:
    setup(monkeypatch, "tri-camelot Blue Blue:F3,C6 Red:F5 Green:J15,J11")
    match = await begun(service, "tri-camelot")
    if vacant:
        await acts.resign(service, match.id, GUILD, BO, NOW)
    match = await acts.move(service, match.id, GUILD, ADA, "F3xF7", NOW)
    events = await service.reader.load_events(match.id)
    (item,) = collect_news(match.id, events, events[-2].seq)
    assert item.calls == item.pinged_users == ((CY,) if vacant else (CY, BO))
    name = "" if vacant else f" (<@{BO}>)"
    line = f"🔴 **Red**{name} has no pieces left and is out: no more turns, and no way to win."
    end = " Nobody has to take over that seat any more." if vacant else ""
    assert f"\n{line} Blue still attacks Red's castle.{end}" in said("en", match, events)
    assert "har ingen brikker igjen" in said("no", match, events)
