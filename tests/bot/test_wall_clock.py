"""Which of three clocks is trusted: the machine's, Discord's, or the monotonic one that nobody sets."""

from __future__ import annotations

from email.utils import formatdate

import pytest

from bot.core.clock import DAY, HOUR
from bot.discordkit.wall_clock import MAX_CLOCK_ERROR_S, MAX_REQUEST_S, REFERENCE_LIFETIME_S, WallClock

START = 1_750_000_000.0
JUMPS = (HOUR, DAY, 90 * DAY, 3 * 365 * DAY)


class World:
    """A machine with its two clocks, and Discord with its own."""

    def __init__(self) -> None:
        self.wall, self.steady, self.discord = START, 1000.0, START
        self.clock = WallClock(lambda: self.wall, lambda: self.steady)

    def pass_time(self, seconds: float, *, asleep: bool = False) -> None:
        self.wall, self.discord = self.wall + seconds, self.discord + seconds
        self.steady += 0 if asleep else seconds

    def answer(self, after: float = 0) -> None:
        asked = self.clock.read_clocks()
        date = formatdate(self.discord, usegmt=True)
        self.pass_time(after)
        self.clock.note_date(date, asked)


@pytest.fixture
def world() -> World:
    world = World()
    world.answer()
    return world


def test_before_discord_has_told_the_time_nothing_is_decided() -> None:
    world = World()
    assert world.clock.now() == START
    assert not world.clock.is_believed
    assert world.clock.trouble is not None
    world.answer()
    assert world.clock.is_believed
    assert world.clock.trouble is None


@pytest.mark.parametrize("jump", [*JUMPS, *(-jump for jump in JUMPS)])
def test_a_jump_of_the_machines_clock_moves_no_time(world: World, jump: int) -> None:
    world.wall += jump
    for _ in range(3):
        world.pass_time(HOUR)
        assert (world.clock.now(), world.clock.is_believed) == (world.discord, False)
        assert world.clock.seconds_ahead == jump
        world.answer()
    world.wall -= jump
    assert (world.clock.now(), world.clock.is_believed) == (world.discord, True)


@pytest.mark.parametrize("jump", [*JUMPS, *(-jump for jump in JUMPS)])
def test_a_clock_wrong_at_the_start_gives_way_to_discords_first_answer(jump: int) -> None:
    world = World()
    world.wall += jump
    world.answer()
    assert (world.clock.now(), world.clock.is_believed) == (world.discord, False)
    world.wall -= jump  # NTP corrects it
    assert (world.clock.now(), world.clock.is_believed) == (world.discord, True)


def test_a_machine_that_has_slept_learns_from_an_answer_how_long(world: World) -> None:
    slept_at = world.clock.now()
    world.pass_time(8 * HOUR, asleep=True)  # the monotonic clock has stood still in the meantime
    assert world.clock.now() == slept_at
    assert not world.clock.is_believed
    world.answer()
    assert (world.clock.now(), world.clock.is_believed) == (world.discord, True)


def test_a_frozen_machine_whose_clocks_both_stood_still_takes_discords_time(world: World) -> None:
    world.discord += 3 * DAY
    world.answer()
    assert not world.clock.is_believed
    world.answer()
    assert (world.clock.now(), world.clock.is_believed) == (world.discord, False)


@pytest.mark.parametrize("jump", [*JUMPS, *(-jump for jump in JUMPS)])
def test_one_answer_with_a_wrong_date_moves_no_time(world: World, jump: int) -> None:
    world.discord += jump
    world.answer()
    world.discord -= jump
    assert (world.clock.now(), world.clock.is_believed) == (world.discord, False)
    world.answer()
    assert (world.clock.now(), world.clock.is_believed) == (world.discord, True)


def test_without_discord_for_weeks_the_time_goes_on(world: World) -> None:
    world.pass_time(21 * DAY)
    assert (world.clock.now(), world.clock.is_believed) == (world.discord, True)


def test_clocks_that_run_a_little_fast_are_believed_while_discord_is_heard(world: World) -> None:
    for _ in range(400):  # 100 ppm is a bad quartz
        world.pass_time(DAY)
        world.wall += 8.64
        world.steady += 8.64
        world.answer()
        world.wall = world.discord  # as corrected by NTP
        assert world.clock.is_believed
        assert abs(world.clock.now() - world.discord) <= MAX_CLOCK_ERROR_S


def test_an_answer_that_was_long_under_way_tells_no_time(world: World) -> None:
    asked, date = world.clock.read_clocks(), formatdate(world.discord, usegmt=True)
    world.pass_time(8 * HOUR)
    world.clock.note_date(date, asked)
    assert (world.clock.now(), world.clock.is_believed) == (world.discord, True)
    world.answer(after=MAX_REQUEST_S - 1)
    assert world.clock.is_believed


@pytest.mark.parametrize(
    "date", [None, "", "yesterday", "Mon, 99 Foo 2020 99:99:99 GMT", "Wed, 25 Nov 99999 12:00:00 GMT"]
)
def test_a_date_that_cannot_be_read_changes_nothing(world: World, date: str | None) -> None:
    world.clock.note_date(date, world.clock.read_clocks())
    assert (world.clock.now(), world.clock.is_believed) == (world.discord, True)


async def test_discord_is_asked_only_where_it_has_not_been_heard_for_long(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[float]()

    async def ask(_: WallClock) -> None:
        asked.append(world.wall)
        raise TimeoutError

    monkeypatch.setattr("bot.discordkit.wall_clock.ask_time", ask)
    assert await world.clock.check_time()
    assert asked == []
    world.pass_time(REFERENCE_LIFETIME_S + 1)
    assert await world.clock.check_time()  # trusted nevertheless: the monotonic clock agrees
    assert len(asked) == 1
    world.wall += DAY
    assert not await world.clock.check_time()
