"""Deadlines in posts: posted late, after an outage of the place, and corrected when they change."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from bot.core import deadlines, table, time_acts
from bot.core.clock import HOUR, Pace
from bot.core.deadlines import NO_PEOPLE
from bot.core.events import EventKind, Seating
from bot.core.listings import MessageRef
from bot.core.match import Match
from bot.core.news import collect_news
from bot.core.settings import Reminders, StoredPerson, UserSettings
from bot.core.timings import DEFAULT_TIMINGS
from bot.features import FEATURES
from bot.play.announcing.announcer import Announcer
from bot.play.announcing.requests import TURN_MARK, note_request_for, retime_requests
from bot.play.announcing.telling import make_notice
from bot.play.announcing.turn import replace_clock_lines, turn_text
from bot.play.background import BackgroundTasks
from bot.play.places.lost_places import note_channel_found
from bot.play.service import Service
from bot.texts.i18n import LANGUAGES, Language
from bot.texts.sentences import clock_lines
from tests.bot import acts
from tests.bot.playing import ADA, BO, CHANNEL, CY, GUILD, NOW, THREAD, followed, live, started
from tests.bot.ticking import begin

UNREMINDED = {ADA: StoredPerson(UserSettings(reminders=Reminders.OFF))}


@pytest.mark.parametrize("locale", LANGUAGES)
def test_only_the_lines_of_the_clock_are_changed(locale: Language) -> None:
    board = collect_news(1, started(pace=Pace.FAST), 0)[-1]
    given = followed(live(pace=Pace.FAST), time_acts.give_time(live(pace=Pace.FAST), BO, 10 * HOUR, NOW + HOUR))
    lines = clock_lines(locale, given, NOW + HOUR, NO_PEOPLE)
    before = turn_text(locale, board, "It begins.", None)
    after = replace_clock_lines(before, lines)
    assert f"<t:{deadlines.time_runs_out_at(live(pace=Pace.FAST))}:R>" in before
    assert f"<t:{deadlines.time_runs_out_at(given)}:R>" in after
    assert f"<@{ADA}>" in after
    assert after.splitlines()[-2:] == lines
    assert len(after.splitlines()) == len(before.splitlines())
    assert replace_clock_lines(after, lines) == after


@pytest.mark.parametrize("locale", LANGUAGES)
def test_grace_has_one_line_and_gives_way_to_two_again(locale: Language) -> None:
    match = live(pace=Pace.FAST)
    falls = deadlines.time_runs_out_at(match)
    assert falls is not None
    late = followed(match, time_acts.tick(match, UNREMINDED, falls))
    first, second = clock_lines(locale, match, NOW, NO_PEOPLE), clock_lines(locale, late, falls, NO_PEOPLE)
    assert (len(first), len(second)) == (2, 1)
    board = "\n".join(["A board", *first])
    assert replace_clock_lines(board, second) == "\n".join(["A board", *second])
    assert replace_clock_lines(replace_clock_lines(board, second), first) == board


def test_a_message_that_says_nothing_of_a_clock_stays_as_it_is() -> None:
    assert replace_clock_lines("The thread is gone.\n-# small", ["-# ⏳ Deadline"]) == "The thread is gone.\n-# small"


HOURS_REFUSED = 30


@pytest.mark.parametrize("noted", [False, True])
def test_a_board_posted_after_an_outage_shows_the_deadline_that_counts(*, noted: bool) -> None:
    events, regained = [*started(pace=Pace.FAST)], NOW + HOURS_REFUSED * HOUR
    lost = Match.replay(1, events)
    lost_at = lost.moved_at + 60
    events += table.note_channel_lost(lost, lost_at)
    back = followed(Match.replay(1, events), table.move_to_thread(Match.replay(1, events), THREAD, regained))
    if noted:  # its thread has been opened before the board is posted
        events += table.move_to_thread(Match.replay(1, events), THREAD, regained)
    board = collect_news(1, events, 0)[-1].as_posted(regained)
    deadline = deadlines.time_runs_out_at(back)
    assert deadline == lost.moved_at + lost.banks[0] + regained - lost_at
    shown = turn_text("en", board, "", None)
    assert f"<t:{deadline}:R>" in shown
    assert shown.splitlines()[-2:] == clock_lines("en", back, regained, NO_PEOPLE)


def test_a_board_posted_late_says_how_the_clocks_stand_then() -> None:
    events = [*started(pace=Pace.FAST)]
    board = collect_news(1, events, 0)[-1].as_posted(NOW + 10 * HOUR)
    assert turn_text("en", board, "", None).splitlines()[-2:] == clock_lines(
        "en", Match.replay(1, events), NOW + 10 * HOUR, NO_PEOPLE
    )


def test_the_warning_of_a_still_game_names_the_end_that_counts() -> None:
    quiet = live()
    warned = followed(quiet, time_acts.tick(quiet, UNREMINDED, quiet.moved_at + deadlines.STILL_WARNING_S))
    lost = followed(warned, table.note_channel_lost(warned, warned.pings.warned_at + HOUR))
    events = [*started(), *time_acts.tick(quiet, UNREMINDED, quiet.moved_at + deadlines.STILL_WARNING_S)]
    events += table.note_channel_lost(warned, warned.pings.warned_at + HOUR)
    told_at = warned.pings.warned_at + 6 * HOUR
    said = make_notice("en", collect_news(1, events, 0)[-1].as_posted(told_at), "")
    back = followed(lost, table.move_to_thread(lost, THREAD, told_at))
    assert said is not None
    assert f"<t:{deadlines.reminders_end_at(back)}:R>" in said.text
    assert deadlines.reminders_end_at(back) == warned.pings.warned_at + deadlines.STILL_CLOSING_S + 5 * HOUR


class Posts:
    """A context whose messages have texts that can be edited."""

    def __init__(self, service: Service, texts: dict[int, str]) -> None:
        self.service, self.texts, self.features = service, texts, FEATURES
        self.background = BackgroundTasks(replace(DEFAULT_TIMINGS, first_edit_delay_s=0, old_edit_pause_s=0))
        self.client = SimpleNamespace(get_guild=lambda _: None)
        self.announcements_due = asyncio.Event()

    def server_language(self, _: int) -> Language:
        return "en"

    def partial_message(self, post: MessageRef) -> Any:
        async def fetch() -> Any:
            return SimpleNamespace(content=self.texts[post.message])

        async def edit(content: str, **_: object) -> None:
            self.texts[post.message] = content

        return SimpleNamespace(fetch=fetch, edit=edit)


async def test_a_board_whose_place_is_back_shows_the_later_deadline(service: Service) -> None:
    game = await begin(service, Pace.FAST)
    lines = clock_lines("en", game, NOW, NO_PEOPLE)
    posts: Any = Posts(service, {7: "\n".join(["A board", *lines])})
    await service.set_turn_message(game.id, CHANNEL, 7)
    await acts.set_homeless(service, game.id, NOW + 60)
    await note_channel_found(posts, game.id, None)
    await posts.background.finish_tasks(5)
    back = await service.current_match(game.id, GUILD)
    assert not back.has_lost_channel
    deadline = deadlines.time_runs_out_at(back)
    assert deadline is not None
    assert f"<t:{deadline}:R>" in posts.texts[7]
    assert f"<t:{deadlines.time_runs_out_at(game)}:R>" not in posts.texts[7]


async def test_a_prolonged_call_shows_its_new_end_in_every_post(service: Service) -> None:
    match = await service.open_table(GUILD, CHANNEL, ADA, "tri-camelot", (), Seating.JOIN_ORDER, False, NOW)
    for user in (BO, CY):
        match = await service.join_table(match.id, GUILD, user, NOW)
    called = await acts.resign(service, match.id, GUILD, BO, NOW)
    assert called.vacancy is not None
    old = f"until <t:{called.vacancy.until}:R>"
    posts: Any = Posts(service, {7: f"A call {old}", 8: f"The offer elsewhere {old}", 9: "Another question"})
    for number, event in ((7, called.vacancy.seq), (8, called.vacancy.seq), (9, TURN_MARK)):
        message: Any = SimpleNamespace(id=number, channel=SimpleNamespace(id=CHANNEL))
        await note_request_for(posts, called, event, message)
    await acts.set_homeless(service, match.id, NOW + HOUR)
    await note_channel_found(posts, match.id, None)
    later = await service.current_match(match.id, GUILD)
    assert later.vacancy is not None
    assert later.vacancy.until > called.vacancy.until
    (news,) = [item for item in await service.unannounced_news(match.id) if item.kind is EventKind.PROLONGED]
    await retime_requests(posts, news)
    await posts.background.finish_tasks(5)
    assert posts.texts == {
        7: f"A call until <t:{later.vacancy.until}:R>",
        8: f"The offer elsewhere until <t:{later.vacancy.until}:R>",
        9: "Another question",
    }


async def test_a_table_updated_late_shows_who_sits_there_by_then(service: Service) -> None:
    asked = await service.open_table(GUILD, CHANNEL, ADA, "tri-camelot", [], Seating.JOIN_ORDER, False, NOW)
    await service.set_table_message(asked.id, CHANNEL, 77)
    await service.join_table(asked.id, GUILD, BO, NOW)
    shown = list[str]()

    async def edit(content: str, **_: object) -> None:
        shown.append(content)

    async def spell(_: int, said: str, __: object) -> str:
        return said

    message, names = SimpleNamespace(edit=edit), SimpleNamespace(spell_names=spell)
    parts_of_it = {"server_language": lambda _: "en", "partial_message": lambda _: message, "has_house": lambda _: True}
    desk: Any = SimpleNamespace(service=service, names=names, features=FEATURES, **parts_of_it)
    parts: Any = None
    await Announcer(desk, parts).update_table(asked)
    assert f"<@{BO}>" in shown[0]
