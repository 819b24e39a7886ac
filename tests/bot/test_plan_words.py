"""Plans in words: a line in full, a chain of moves in one message, and its board."""

from __future__ import annotations

import pytest

from bot.core import turns
from bot.core.events import Event
from bot.core.match import Match
from bot.core.news import News, collect_news
from bot.discordkit.reply import MAX_MESSAGE_LENGTH
from bot.plans import plan as planning
from bot.plans.commands import moves_in_short, plan_end_text, plan_text
from bot.plans.plan import Guard, Plan, PlanEnd, PlanEndReason
from bot.play.announcing.telling import make_notice
from bot.play.announcing.turn import MAX_ARROWS, turn_alt_text, turn_text, turn_view
from bot.texts.i18n import LANGUAGES, Language, load_catalogue, text
from rules import format_move, legal_moves
from tests.bot.playing import ADA, CY, NOW, followed, live, play_typed, started


def chained(plies: int, key: str = "camelot") -> News:
    """The news of a move by hand that so many automatic moves follow."""
    events: list[Event] = started(key)
    match = Match.replay(1, events)
    for number in range(plies):
        move = legal_moves(match.started_game.position)[0]
        if number:
            made = turns.play_planned_move(match, move, NOW)
        else:
            assert match.to_move is not None
            made = play_typed(match, match.to_move, format_move(move, match.variant.board), NOW)
        events += made
        match = followed(match, made)
    return collect_news(1, events, 0)[-1]


@pytest.mark.parametrize("locale", LANGUAGES)
@pytest.mark.parametrize("plies", [2, 20, 80])
def test_a_chain_is_told_in_one_message_however_long_it_is(locale: Language, plies: int) -> None:
    item = chained(plies)
    assert len(item.told_together) == plies
    said = make_notice(locale, item, "Ada")
    assert said is not None
    whole = turn_text(locale, item, said.text, None)
    assert len(whole) <= MAX_MESSAGE_LENGTH
    assert whole.count("<@") == 1
    assert len(turn_alt_text(locale, item)) <= 1024
    lines = said.text.split("\n")
    last = format_move(item.match.started_game.moves[-1], item.match.variant.board)
    assert f"**{plies}**" in lines[-1]
    assert lines[-1].endswith(f"`{last}`{text(locale, 'plan.chain.planned')}")
    assert (lines[0] == text(locale, "plan.chain.more")) == (plies == 80)


@pytest.mark.parametrize("key", ["camelot", "tri-camelot"])
def test_a_chains_board_shows_all_its_moves_from_the_usual_side(key: str) -> None:
    item = chained(5, key)
    view = turn_view(item)
    assert [move for _, move in view.chain] == list(item.match.started_game.moves)
    assert view.bottom == (item.match.turn if key == "camelot" else 0), "a board of three stands still"
    assert view.position == item.match.started_game.position
    assert len(turn_view(chained(60)).chain) == MAX_ARROWS


def test_a_planned_move_without_a_preceding_move_is_announced_as_planned() -> None:
    events: list[Event] = started()
    match = Match.replay(1, events)
    events += turns.play_planned_move(match, legal_moves(match.started_game.position)[0], NOW + 5)
    said = make_notice("en", collect_news(1, events, 0)[-1], "Ada")
    assert said is not None
    assert said.text.endswith(text("en", "plan.alone"))


@pytest.mark.parametrize("locale", LANGUAGES)
def test_a_line_is_spelled_out_with_what_depends_on_what(locale: Language) -> None:
    match = live("tri-camelot")
    game, line = match.started_game, []
    guards = [None, frozenset({Guard.SAME, Guard.SAFE}), None, frozenset[Guard](), None, None]
    for allowed in guards:
        move = legal_moves(game.position)[0]
        own = game.position.turn == 2
        line.append(planning.as_planned(game.position, move, None if own else allowed))
        game = game.apply(move)
    plan = Plan(1, CY, 2, 0, tuple(line))
    lines = plan_text(locale, match.variant, plan).split("\n")
    moves = [format_move(one.move, match.variant.board) for one in line]
    assert len(lines) == 2
    assert all(move in lines[number // 3] for number, move in enumerate(moves))
    assert text(locale, "plan.guard.s") in lines[0]
    assert text(locale, "plan.guard.p") not in lines[0]
    assert moves_in_short(match.variant, line) == f"{moves[0]} {moves[1]}* {moves[2]} {moves[3]}* {moves[4]} {moves[5]}"
    by_hand = Plan(1, ADA, 0, 0, tuple(line[:4]))
    assert moves[0] in plan_text(locale, match.variant, by_hand).split("\n")[0]


@pytest.mark.parametrize("locale", LANGUAGES)
def test_every_reason_why_a_plan_was_not_played_has_its_sentence(locale: Language) -> None:
    told = {plan_end_text(locale, live().variant, PlanEnd(why, 1, "F10-F9")) for why in PlanEndReason}
    assert len(told) == len(PlanEndReason)
    assert not any("{" in said for said in told)
    assert all(load_catalogue(locale)[f"plan.guard.{guard.value}"] for guard in Guard)
