from __future__ import annotations

import pytest

from bot.match import Match, Phase
from bot.matches import table as tables
from bot.news import Topic, news
from rules import VARIANTS
from tests.bot.playing import ADA, BO, NOW, THREAD, short_game, started, table


def test_there_is_one_piece_of_news_for_each_turn_and_the_end_goes_with_the_last() -> None:
    events = short_game()
    found = news(1, events, 0)
    assert [item.kind for item in found] == [Topic.STARTED, Topic.MOVED, Topic.MOVED, Topic.RESIGNED]
    assert [item.seq for item in found] == [3, 4, 5, 7]
    assert [item.user for item in found] == [None, ADA, BO, BO]
    assert [item.match.phase for item in found] == [Phase.LIVE] * 3 + [Phase.OVER]
    first = found[1]
    assert first.before == VARIANTS["camelot"].start
    assert first.move is not None
    assert first.match.game is not None
    assert first.before.after(first.move) == first.match.game.position
    assert news(1, events, 4) == found[2:]
    assert news(1, events, 7) == ()


def test_news_is_for_the_place_where_the_match_is_played_today() -> None:
    events = started()
    events += tables.threaded(Match.replay(1, events), THREAD, NOW)
    (item,) = news(1, events, 0)
    assert (item.kind, item.match.where) == (Topic.STARTED, THREAD)


@pytest.mark.parametrize("user", [ADA, None])
def test_a_table_that_closes_is_news(user: int | None) -> None:
    match = Match.replay(1, table())
    events = tables.cancel(match, ADA, NOW) if user else tables.expire(match, match.expires)
    (item,) = news(1, [*table(), *events], 0)
    assert (item.kind, item.user, item.match.phase) == (Topic.CLOSED, user, Phase.CLOSED)
