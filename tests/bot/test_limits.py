"""The table of limits: it has every act that stores something, and one place counts them."""

from __future__ import annotations

from bot.discordkit.components import FAMILIES
from bot.features import FEATURES
from bot.play import every_cog
from bot.play.limits import LIMITS, MAX_COUNTS, ActCounts, limits_of
from tests.bot.playing import ADA, BO
from tests.e2e.permission_rows import DONE, PROMISE
from tests.e2e.permissions import ROWS

ALSO_WRITING = {
    *("rt-house:sit", "rt-table", "rt-plans:reply", "rt-riddle:commit", "rt-riddle:typed", "rt-typed:forget-me"),
    *("rt-thought:share", "rt-thought:share-lines", "rt-thought:keep", "rt-thought:delete-sure"),
    *("rt-server:channels", "rt:seek-no-more"),
}
"""Acts that store something, but not in their rows of the table of permissions."""


def registered_acts() -> set[str]:
    """Returns every command, button, menu and form."""
    commands = {
        f"/{one.extras['path']}"
        for cog in every_cog(FEATURES)
        for one in cog.get_app_commands()
        if "path" in one.extras
    }
    return commands | {
        f"{prefix}:{name}".removesuffix(":") for prefix, family in FAMILIES.items() for name in family.handlers
    }


def test_every_act_that_stores_something_has_a_limit() -> None:
    acts = registered_acts()
    assert acts == ROWS.keys(), "a row says whether an act stores something"
    writing = {act for act, row in ROWS.items() if DONE in map(row.promised, PROMISE)} | ALSO_WRITING
    assert {act for act in writing if not [*limits_of(act)]} == set()


def test_the_table_names_only_acts_that_there_are() -> None:
    for limit in LIMITS.values():
        assert set(limit.acts) <= registered_acts()
        assert len(set(limit.acts)) == len(limit.acts)


def test_a_person_waits_once_the_limit_is_reached_and_nobody_else_does() -> None:
    counts, limit = ActCounts(), LIMITS["ladders"]
    assert [counts.count_act(ADA, "ladders") for _ in range(limit.times)] == [0.0] * limit.times
    assert limit.seconds - 60 < counts.count_act(ADA, "ladders") <= limit.seconds
    assert counts.count_act(BO, "ladders") == 0.0
    assert counts.count_act(ADA, "leagues") == 0.0


def test_an_act_with_two_limits_counts_against_neither_if_one_is_reached() -> None:
    counts = ActCounts()
    for _ in range(LIMITS["boards for all"].times):
        counts.count_act(ADA, "boards for all")
    for _ in range(LIMITS["leagues"].times):
        assert counts.count_act(ADA, "boards for all", "leagues") > 0
    assert counts.count_act(ADA, "leagues") == 0.0


def test_the_counts_of_people_are_bounded() -> None:
    counts = ActCounts()
    for user in range(MAX_COUNTS + 10):
        counts.count_act(user, "ladders")
    assert len(counts._counts) == MAX_COUNTS


def test_joining_and_leaving_a_ladder_in_turn_writes_few_rows_an_hour() -> None:
    assert LIMITS["ladders"].times <= 60
    assert {*limits_of("/ladder join")} & {*limits_of("rt:ladder-leave")} == {"ladders"}
    assert "games against bots" in limits_of("rt:first-game")
