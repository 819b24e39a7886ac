"""The message of a turn, without Discord."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.core import deadlines, leaving, offers, time_acts
from bot.core.deadlines import NO_PEOPLE
from bot.core.match import Match, Phase
from bot.core.news import collect_news
from bot.core.problems import Problem
from bot.discordkit.reply import MAX_MESSAGE_LENGTH
from bot.features import FEATURES
from bot.play.announcing.telling import make_notice
from bot.play.announcing.turn import has_board, turn_alt_text, turn_buttons, turn_text, turn_view
from bot.play.shared_components import ACTIONS
from bot.texts.i18n import LANGUAGES, Language, text
from rules import Game, Seat, parse_position
from tests.bot.playing import ADA, BO, CY, DEE, NOW, followed, live, play_typed, refused, short_game, started
from tests.sentences import part


@pytest.mark.parametrize("locale", LANGUAGES)
@pytest.mark.parametrize("size", [10, 1500, 5000])
def test_the_end_is_told_within_discords_limit_however_long_the_record_is(locale: Language, size: int) -> None:
    last = collect_news(1, short_game(), 0)[-1]
    told = turn_text(locale, last, "Bo moves.", "x" * size)
    assert len(told) <= MAX_MESSAGE_LENGTH
    assert ("x" * size in told) == (size < 1600)


def test_the_end_quotes_the_moves_of_the_record() -> None:
    record = "# variant: camelot\n# players: White Ada\n1. D6-F8 D11-F9\n2. F7-F9 F10-F8"
    told = turn_text("en", collect_news(1, short_game(), 0)[-1], "Bo moves.", record)
    assert told.endswith("\n-# 1. D6-F8 D11-F9 2. F7-F9 F10-F8")


def test_names_neither_ping_nor_break_the_line() -> None:
    item = collect_news(1, short_game(), 0)[1]
    said = make_notice("en", item, "@everyone\n# **<@1>**")
    assert said is not None
    told = turn_text("en", item, said.text, None)
    assert "@everyone" not in told
    assert "<@1>" not in told
    assert told.count("\n") == 2


@pytest.mark.parametrize("locale", LANGUAGES)
def test_a_still_game_is_reminded_of_warned_about_and_closed(locale: Language) -> None:
    events = started("tri-camelot")
    told, texts = events[-1].seq, []
    for _ in range(3):
        match = Match.replay(1, events)
        due = deadlines.next_tick_at(match)
        assert due is not None
        events += time_acts.tick(match, NO_PEOPLE, due)
        (item,) = collect_news(1, events, told)
        told = item.seq
        said = make_notice(locale, item, "")
        assert said is not None
        texts.append(turn_text(locale, item, said.text, "x") if has_board(item) else said.text)
    reminder, warning, end = texts
    assert Match.replay(1, events).phase is Phase.OVER
    assert (reminder.count("<@"), f"<@{ADA}>" in reminder) == (1, True)
    assert all(f"<@{user}>" in warning for user in (ADA, BO, CY))
    assert f"<t:{due}:R>" in warning
    assert text(locale, "end.no-result") in end
    assert text(locale, "end.draw") not in end


def test_a_claimed_draw_says_how_often_the_position_has_occurred() -> None:
    # The bug: the message said that the game had ended by itself, at the fifth repetition.
    events = started()
    for number, move in enumerate(("F6-E5", "F11-E12", "E5-F6", "E12-F11") * 2):
        events += play_typed(Match.replay(1, events), (ADA, BO)[number % 2], move, NOW)
    events += offers.claim_draw(Match.replay(1, events), ADA, NOW)
    last = collect_news(1, events, 0)[-1]
    assert part("end.repetition", repetitions=3) in turn_text("en", last, "", None)
    assert part("end.repetition", "no", repetitions=3) in turn_text("no", last, "", None)


def test_a_substitute_sees_what_was_played_last() -> None:
    events = list(started("tri-camelot"))
    moved = Match.replay(1, events)
    events += play_typed(moved, ADA, "F7-F9", NOW)
    events += leaving.resign(Match.replay(1, events), BO, NOW)
    vacated = collect_news(1, events, 0)[-1]
    assert turn_view(vacated).last_move is None  # the board above shows it
    events += leaving.take_over(Match.replay(1, events), DEE, NOW)
    item = collect_news(1, events, 0)[-1]
    view = turn_view(item)
    assert view.last_move == item.match.started_game.moves[-1]
    assert (view.before, view.position.pieces) == (moved.started_game.position, item.match.started_game.position.pieces)
    assert "F7-F9" in turn_alt_text("en", item)


def test_posted_boards_stand_still_in_games_of_three() -> None:
    def bottoms(variant: str, *moves: str) -> list[Seat]:
        events = list(started(variant))
        for move in moves:
            match = Match.replay(1, events)
            assert match.to_move is not None
            events += play_typed(match, match.to_move, move, NOW)
        return [turn_view(item).bottom for item in collect_news(1, events, 0) if item.move]

    assert bottoms("tri-camelot", "F5-F9", "B13-D11", "J13-J9") == [0, 0, 0]
    assert bottoms("camelot", "C6-B5", "H10-I9", "B5-A4") == [1, 0, 1]


def test_a_player_without_pieces_has_nothing_to_give_up() -> None:
    # Otherwise they could announce their resignation repeatedly, pinging the player to move each time.
    position = parse_position("tri-camelot Blue Blue:F5 Red:- Green:J13")
    match: Match = replace(live("tri-camelot"), game=Game.from_position(position))
    assert match.to_move == ADA
    with refused(Problem.ELIMINATED):
        leaving.resign(match, BO, NOW)


@pytest.mark.parametrize("locale", LANGUAGES)
def test_a_board_with_a_vacant_seat_to_move_has_the_buttons_needed(locale: Language) -> None:
    match = followed(live("tri-camelot"), leaving.resign(live("tri-camelot"), BO, NOW))
    assert match.vacancy is not None
    vote = followed(match, leaving.advance_vacancy(match, match.vacancy.until))
    shown = {
        "call": ["take-over", "vote-now", "explore", "more"],
        "vote": ["vote-play-on", "vote-house", "vote-draw", "vote-abandon", "explore", "more"],
    }
    for stage, was in (("call", match), ("vote", vote)):
        board = followed(was, play_typed(was, ADA, "F7-F9", NOW))
        every = turn_buttons(FEATURES, locale, board)
        carried = [read for item in every if (read := ACTIONS.parse_id(str(item.custom_id)))]
        assert [name for name, _ in carried] == shown[stage]
        assert len(every) == len(carried)  # nobody can compose a move
        asks = {action.number for name, action in carried if action.match and name not in ("explore", "more")}
        assert asks == {was.vacancy and was.vacancy.seq}
