from __future__ import annotations

import random

import pytest

from bot.clock import HOUR, Pace
from bot.events import Kind
from bot.match import Match, Phase
from bot.matches import offers, refereeing, turns
from bot.news import news
from bot.problems import Problem
from rules import Cause
from tests.bot.playing import ADA, BO, CY, DEE, NOW, followed, live, random_move, refused, started

JUDGE = 1099


@pytest.fixture
def match() -> Match:
    match = live(pace=Pace.STANDARD)
    for user, text in ((ADA, "F7-F8"), (BO, "F10-F9")):
        match = followed(match, turns.move(match, user, text, NOW + HOUR))
    return match


def test_each_act_wants_a_reason_and_can_be_audited(match: Match) -> None:
    with refused(Problem.NO_REASON):
        refereeing.abort(match, JUDGE, "  ", NOW)
    with refused(Problem.TEXT_TOO_LONG, most=refereeing.LONGEST_REASON):
        refereeing.abort(match, JUDGE, "x" * 301, NOW)
    events = refereeing.abort(match, JUDGE, "wrong\nseat:0 bank:5", NOW + 9)
    (act,) = refereeing.audit(events)
    assert act == (match.seq + 1, NOW + 9, JUDGE, Kind.ABORTED, "wrong seat:0 bank:5")


def test_a_clock_is_set(match: Match) -> None:
    match = followed(match, refereeing.set_clock(match, JUDGE, 1, 5 * HOUR, "was ill", NOW + 2 * HOUR))
    assert match.banks[1] == 5 * HOUR
    with refused(Problem.BAD_BANK, most=120):
        refereeing.set_clock(match, JUDGE, 1, 999 * HOUR, "x", NOW)
    with refused(Problem.NO_CLOCK):
        refereeing.set_clock(live(), JUDGE, 1, HOUR, "x", NOW)


def test_a_clock_that_was_set_stays_so_behind_moves_that_are_taken_back(match: Match) -> None:
    match = followed(match, refereeing.set_clock(match, JUDGE, 1, 5 * HOUR, "was ill", NOW + 2 * HOUR))
    for user, hour in ((ADA, 3), (BO, 4)):
        match = followed(match, turns.move(match, user, random_move(match, random.Random(1)), NOW + hour * HOUR))
    assert match.banks[1] == 28 * HOUR
    last = followed(match, refereeing.rewind(match, JUDGE, 3, "slip", NOW + 5 * HOUR))
    asked = followed(match, offers.ask_takeback(match, ADA, NOW + 5 * HOUR))
    agreed = followed(asked, offers.accept_takeback(asked, BO, NOW + 6 * HOUR))
    before = followed(agreed, refereeing.rewind(agreed, JUDGE, 0, "slip", NOW + 7 * HOUR))
    assert [one.banks[1] for one in (last, agreed, before)] == [5 * HOUR] * 3
    assert before.banks[0] == 72 * HOUR


def test_a_player_is_replaced_also_one_who_has_left_a_vacant_seat(match: Match) -> None:
    assert followed(match, refereeing.replace_player(match, JUDGE, BO, DEE, "gone", NOW + HOUR)).players == (ADA, DEE)
    with refused(Problem.ALREADY_PLAYING, user=ADA):
        refereeing.replace_player(match, JUDGE, BO, ADA, "gone", NOW)
    with refused(Problem.NOT_A_PLAYER):
        refereeing.replace_player(match, JUDGE, CY, DEE, "gone", NOW)
    three = live("tri-camelot")
    three = followed(three, turns.resign(three, CY, NOW))
    three = followed(three, refereeing.replace_player(three, JUDGE, CY, DEE, "gone", NOW))
    assert (three.players, three.vacancy) == ((ADA, BO, DEE), None)


def test_a_game_is_rewound_to_a_ply(match: Match) -> None:
    rewound = followed(match, refereeing.rewind(match, JUDGE, 1, "slip", NOW + 2 * HOUR))
    assert (rewound.ply, rewound.to_move, rewound.running) == (1, BO, NOW + 2 * HOUR)
    for ply in (-1, 2):
        with refused(Problem.NO_SUCH_PLY, last=2):
            refereeing.rewind(match, JUDGE, ply, "slip", NOW)
    over = followed(match, turns.resign(match, BO, NOW))
    with refused(Problem.TAKEBACK_BARRED):
        refereeing.rewind(over, JUDGE, 1, "slip", NOW)


def test_an_aborted_game_has_no_result(match: Match) -> None:
    match = followed(match, refereeing.abort(match, JUDGE, "broken", NOW))
    assert match.game is not None
    assert match.game.outcome is not None
    assert (match.phase, match.game.outcome.cause, match.has_result) == (Phase.OVER, Cause.ABANDONED, False)


def test_a_finished_game_is_annulled_once(match: Match) -> None:
    with refused(Problem.NOT_OVER):
        refereeing.annul(match, JUDGE, "cheat", NOW)
    match = followed(match, turns.resign(match, BO, NOW))
    assert match.winners == (ADA,)
    match = followed(match, refereeing.annul(match, JUDGE, "cheat", NOW))
    assert (match.winners, match.has_result) == ((), False)
    with refused(Problem.ANNULLED_ALREADY):
        refereeing.annul(match, JUDGE, "cheat", NOW)


def test_a_match_is_renamed_and_loses_its_name_again(match: Match) -> None:
    match = followed(match, refereeing.rename(match, JUDGE, " The  final ", "cup", NOW))
    assert match.title == "The final"
    assert followed(match, refereeing.rename(match, JUDGE, "", "cup", NOW)).title is None
    with refused(Problem.TEXT_TOO_LONG, most=refereeing.LONGEST_TITLE):
        refereeing.rename(match, JUDGE, "x" * 61, "cup", NOW)


def test_the_players_are_told_of_every_act() -> None:
    events = started(pace=Pace.FAST)
    fresh = refereeing.set_clock(Match.replay(1, events), JUDGE, 0, HOUR, "late start", NOW)
    (item,) = news(1, [*events, *fresh], events[-1].seq)
    assert (item.kind.value, item.user, item.ping) == ("clock-set", JUDGE, (ADA, BO))
