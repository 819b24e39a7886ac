"""Messages about turns: their text, nonce and pings, deadlines that change, and those that ask."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from bot.core import deadlines, leaving, offers, table, time_acts, turns
from bot.core.clock import HOUR, Pace
from bot.core.deadlines import NO_PEOPLE
from bot.core.events import EventKind, Opening, Seating, Terms
from bot.core.fold import replay_match
from bot.core.match import Match, MessageRef, Phase
from bot.core.news import News, collect_news
from bot.core.problems import Problem
from bot.core.settings import GuildSettings, Reminders, StoredPerson, UserSettings
from bot.core.timings import DEFAULT_TIMINGS
from bot.features import FEATURES
from bot.play.announcing.announcer import Announcer
from bot.play.announcing.calls import TURN_MARK, WaitingMessage, add_edits, buttons_job_for
from bot.play.announcing.tables import result_text
from bot.play.announcing.telling import make_notice
from bot.play.announcing.turn import has_board, replace_clock_lines, turn_alt_text, turn_buttons, turn_text, turn_view
from bot.play.context import ACTIONS, Post, users_pinged
from bot.play.places import note_channel_found
from bot.play.service import Service
from bot.store import Writer
from bot.texts.i18n import Language, text
from bot.texts.people import house_name
from bot.texts.sentences import clock_lines
from rules import VARIANTS, Game, parse_position
from tests.bot import acts, answers
from tests.bot.beginning import begun
from tests.bot.contexts import make_context
from tests.bot.databases import write
from tests.bot.match_stories import Story, three, two
from tests.bot.playing import (
    ADA,
    BO,
    CHANNEL,
    CY,
    DEE,
    GUILD,
    NOW,
    THREAD,
    by,
    existing,
    followed,
    live,
    play_typed,
    refused,
    short_game,
    started,
)
from tests.bot.ticked_games import do_jobs
from tests.render.scenes import GAMES
from tests.sentences import part


def test_names_neither_ping_nor_break_the_line() -> None:
    item = collect_news(1, short_game(), 0)[1]
    said = make_notice("en", item, "@everyone\n# **<@1>**")
    told = turn_text("en", item, existing(said).text)
    assert "@everyone" not in told
    assert "<@1>" not in told
    assert told.count("\n") == 2


def test_a_still_game_is_reminded_of_warned_about_and_closed(locale: Language) -> None:
    story, texts = three(Pace.NONE), list[str]()
    for _ in range(3):
        told, story = story.match.seq, story.ticks()
        (item,) = collect_news(1, story.events, told)
        said = make_notice(locale, item, "")
        texts.append(turn_text(locale, item, existing(said).text) if has_board(item) else existing(said).text)
    reminder, warning, end = texts
    assert story.match.phase is Phase.OVER
    assert (reminder.count("<@"), f"<@{ADA}>" in reminder) == (1, True)
    assert all(f"<@{user}>" in warning for user in (ADA, BO, CY))
    assert f"<t:{story.now}:R>" in warning
    assert [part(f"end.{kind}", locale) in end for kind in ("no-result", "draw")] == [True, False]


def test_a_claimed_draw_says_how_often_the_position_has_occurred() -> None:
    # The bug: the message said that the game had ended by itself, at the fifth repetition.
    back_and_forth = ("F6-E5", "F11-E12", "E5-F6", "E12-F11") * 2
    last = two().move(*back_and_forth).did(offers.offer_draw, ADA).last
    assert part("end.repetition", repetitions=3) in turn_text("en", last, "")
    assert part("end.after", turn="4, Black", how="") in turn_text("en", last, "")
    assert part("end.repetition", "no", repetitions=3) in turn_text("no", last, "")


def test_a_move_that_played_itself_ends_a_game_at_its_turn(locale: Language) -> None:
    match = replace(live(), game=Game.from_position(parse_position("camelot White White:F5,F4 Black:F6")))
    event, *end = turns.play_only_move(match, NOW, {ADA: StoredPerson(UserSettings(automove=True))})
    item = News(event.seq, followed(match, [event, *end]), event, match)
    assert part("end.after", locale) not in turn_text(locale, item, existing(make_notice(locale, item, "Ada")).text)


def test_all_bots_win_against_a_person_who_leaves_them(locale: Language) -> None:
    # The bug: the second bot was not named, and everyone else was said to have left the game.
    terms = Terms(VARIANTS["tri-camelot"], Seating.JOIN_ORDER, wants_thread=True)
    events = table.open_table(Opening(GUILD, CHANNEL, terms), ADA, NOW)
    events += table.seat_house_players(replay_match(1, events), by(ADA), "easy", 2)
    match = replay_match(1, events)
    (item,) = collect_news(1, [*events, *leaving.resign(match, by(ADA))], match.seq)
    said = turn_text(locale, item, existing(make_notice(locale, item, "Ada")).text)
    assert all(said.count(house_name(user, locale)) == 1 for user in match.players[1:])
    assert part("end.resignation", locale) not in said


def test_a_result_of_three_says_who_left_and_how(locale: Language) -> None:
    # The bug: "Only one player is left in the game."
    two_left = three().did(leaving.resign, BO).did(leaving.take_over, DEE).did(leaving.resign, CY)
    said = turn_text(locale, two_left.did(leaving.resign, ADA).last, "A resignation.")
    replaced = text(locale, "end.replaced.resignation", player=f"<@{DEE}>", leaver=f"<@{BO}>")
    assert (replaced in said, "A resignation." in said) == (True, False)
    assert all(text(locale, "end.left.resignation", player=f"<@{user}>") in said for user in (ADA, CY))
    position = parse_position("tri-camelot Blue Blue:F5,A14 Red:- Green:J13")
    match = replace(live("tri-camelot"), game=Game.from_position(position).play("A14-A16"))
    assert text(locale, "end.no-pieces", player=f"<@{BO}>") in result_text(locale, match)


def test_a_substitute_sees_what_was_played_last() -> None:
    start = three()
    vacated = start.move("F7-F9").did(leaving.resign, BO)
    assert turn_view(vacated.last).last_move is None  # the board above shows it
    item = vacated.did(leaving.take_over, DEE).last
    view, game = turn_view(item), item.match.started_game
    assert view.last_move == game.moves[-1]
    assert (view.before, view.position.pieces) == (start.match.started_game.position, game.position.pieces)
    assert "F7-F9" in turn_alt_text("en", item)


@pytest.mark.parametrize("variant", VARIANTS)
def test_posted_boards_stand_still(variant: str) -> None:
    events = Story(tuple(started(variant))).move(*GAMES[variant].split()).events
    assert {(turn_view(item).bottom, turn_view(item).reader) for item in collect_news(1, events, 0)} == {(0, None)}


def test_a_player_without_pieces_has_nothing_to_give_up() -> None:
    # Otherwise they could announce their resignation repeatedly, pinging the player to move each time.
    position = parse_position("tri-camelot Blue Blue:F5 Red:- Green:J13")
    match: Match = replace(live("tri-camelot"), game=Game.from_position(position))
    assert match.to_move == ADA
    with refused(Problem.ELIMINATED):
        leaving.resign(match, by(BO))


def test_a_board_with_a_vacant_seat_to_move_has_the_buttons_needed(locale: Language) -> None:
    match = followed(live("tri-camelot"), leaving.resign(live("tri-camelot"), by(BO)))
    vote = followed(match, leaving.advance_vacancy(match, existing(match.vacancy).until))
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


# Posts of boards


class Posts:
    """Notes the nonce of each post and the people whom it pings. Has as much of a context as a board needs."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, frozenset[int]]] = []
        self.features, self.composed_since = (), dict[int, float]()
        self.timings = DEFAULT_TIMINGS
        self.client = SimpleNamespace(get_guild=lambda _: None)
        self.servers = SimpleNamespace(settings_of=lambda _: GuildSettings())
        self.service = SimpleNamespace()
        self.pictures = SimpleNamespace(draw_board=self._draw)
        self.names = SimpleNamespace(spell_names=self._spell, name_of=self._name)

    def server_language(self, _: int) -> str:
        return "en"

    async def send_post(self, post: Post) -> None:
        self.sent.append((post.nonce, users_pinged(post.ping)))

    async def _draw(self, *_: object, **__: object) -> bytes:
        return b"png"

    async def _spell(self, _: int, content: str, __: object) -> str:
        return content

    async def _name(self, _: int, user: int) -> str:
        return str(user)


async def test_boards_differ_by_nonce_and_ping_nobody_whose_turn_is_over() -> None:
    events = two().move("F7-F8", "F10-F9").events
    boards = [item for item in collect_news(1, events, 0) if item.kind is EventKind.MOVED]
    posts: Any = Posts()
    for item in (*boards, boards[-1]):
        await Announcer(posts).post_item(item)
    (first, overtaken), (last, pinged), again = posts.sent
    assert (overtaken, pinged) == (frozenset(), {ADA})
    assert first != last
    assert again == (last, pinged)


# Deadlines in posts


UNREMINDED = {ADA: StoredPerson(UserSettings(reminders=Reminders.OFF))}


def test_grace_has_one_line_and_gives_way_to_two_again(locale: Language) -> None:
    match = live(pace=Pace.FAST)
    falls = deadlines.time_runs_out_at(match)
    late = followed(match, time_acts.tick(match, UNREMINDED, existing(falls)))
    first, second = clock_lines(locale, match, NOW, NO_PEOPLE), clock_lines(locale, late, existing(falls), NO_PEOPLE)
    assert (len(first), len(second)) == (2, 1)
    board = "\n".join(["A board", *first])
    assert replace_clock_lines(board, second) == "\n".join(["A board", *second])
    assert replace_clock_lines(replace_clock_lines(board, second), first) == board


def test_a_message_without_clock_lines_stays_unless_a_pause_is_added() -> None:
    assert replace_clock_lines("The thread is gone.\n-# small", ["-# ⏳ Deadline"]) == "The thread is gone.\n-# small"
    assert replace_clock_lines("A board\n-# ⏳ D", []) == "A board\n-# ⏳ D"  # nobody knows when the clock goes on
    for shown, lines in (("A board", ["-# ⏳ P"]), ("A board\n-# ⏳ P", ["-# ⏳ P"]), ("A board\n-# ⏳ P", [])):
        assert replace_clock_lines(shown, lines, clock=False) == "\n".join(["A board", *lines])  # without a clock


HOURS_REFUSED = 30


@pytest.mark.parametrize("noted", [False, True])
def test_a_board_posted_after_an_outage_shows_the_deadline_that_counts(*, noted: bool) -> None:
    events, regained = [*started(pace=Pace.FAST)], NOW + HOURS_REFUSED * HOUR
    lost = replay_match(1, events)
    lost_at = lost.clock.turn_began_at + 60
    events += table.note_channel_lost(lost, lost_at)
    back = followed(replay_match(1, events), table.move_to_thread(replay_match(1, events), THREAD, regained))
    if noted:  # its thread has been opened before the board is posted
        events += table.move_to_thread(replay_match(1, events), THREAD, regained)
    board = collect_news(1, events, 0)[-1].as_posted(regained)
    deadline = deadlines.time_runs_out_at(back)
    assert deadline == lost.clock.turn_began_at + lost.clock.banks[0] + regained - lost_at
    shown = turn_text("en", board, "")
    assert f"<t:{deadline}:R>" in shown
    assert shown.splitlines()[-2:] == clock_lines("en", back, regained, NO_PEOPLE)


def context_with_posts(service: Service, texts: dict[int, str]) -> Any:
    """Returns a context in which messages have those texts, which can be edited."""

    def partial_message(post: MessageRef) -> Any:
        async def fetch() -> Any:
            return SimpleNamespace(content=texts[post.message])

        async def edit(content: str, **_: object) -> None:
            texts[post.message] = content

        return SimpleNamespace(fetch=fetch, edit=edit)

    timings = replace(DEFAULT_TIMINGS, old_edit_pause_s=0)
    return make_context(service, texts=texts, features=FEATURES, timings=timings, partial_message=partial_message)


async def test_a_board_whose_place_is_back_shows_the_later_deadline(service: Service) -> None:
    game = await begun(service)
    lines = clock_lines("en", game, NOW, NO_PEOPLE)
    posts = context_with_posts(service, {7: "\n".join(["A board", *lines])})
    await write(service.store, Writer.set_turn_post, game.id, MessageRef(CHANNEL, 7))
    await acts.set_homeless(service, game.id, NOW + 60)
    await note_channel_found(posts, game.id, None)
    await do_jobs(posts)
    back = await service.current_match(game.id, GUILD)
    assert not back.place.is_lost
    assert f"<t:{existing(deadlines.time_runs_out_at(back))}:R>" in posts.texts[7]
    assert f"<t:{deadlines.time_runs_out_at(game)}:R>" not in posts.texts[7]


async def test_a_prolonged_call_shows_its_new_end_in_every_post(service: Service) -> None:
    match = await begun(service, "tri-camelot")
    called = await acts.resign(service, match.id, GUILD, BO, NOW)
    assert called.vacancy is not None
    old = f"until <t:{called.vacancy.until}:R>"
    posts = context_with_posts(service, {7: f"A call {old}", 8: f"The offer elsewhere {old}", 9: "Another question"})
    for number, event in ((7, called.vacancy.seq), (8, called.vacancy.seq), (9, TURN_MARK)):
        message: Any = SimpleNamespace(id=number, channel=SimpleNamespace(id=CHANNEL))
        await write(service.store, Writer.add_jobs, buttons_job_for(called, event, message))
    await acts.set_homeless(service, match.id, NOW + HOUR)
    await note_channel_found(posts, match.id, None)
    later = await service.current_match(match.id, GUILD)
    assert later.vacancy is not None
    assert later.vacancy.until > called.vacancy.until
    (news,) = [item for item in await service.unannounced_news(match.id) if item.kind is EventKind.PROLONGED]
    await write(service.store, add_edits, news, None, None, latest=True)
    await do_jobs(posts)
    assert posts.texts == {
        7: f"A call until <t:{later.vacancy.until}:R>",
        8: f"The offer elsewhere until <t:{later.vacancy.until}:R>",
        9: "Another question",
    }


async def test_the_offer_of_a_seat_elsewhere_says_when_it_is_over(service: Service) -> None:
    match, posts = await begun(service, "tri-camelot"), context_with_posts(service, {8: "The offer elsewhere"})
    message: Any = SimpleNamespace(id=8, channel=SimpleNamespace(id=CHANNEL + 1))
    await write(service.store, Writer.add_jobs, buttons_job_for(match, 3, message)._replace(due_at=NOW))
    await do_jobs(posts)
    assert posts.texts[8] == f"The offer elsewhere\n-# {text('en', 'leaver.offer-over')}"


# Messages that ask


def ask(match: Match) -> WaitingMessage:
    """Returns the message in which the last event asks."""
    return WaitingMessage(match.seq, match.board_version)


def test_a_request_waits_until_it_is_answered() -> None:
    match = followed(live(), offers.offer_draw(live(), by(ADA)))
    offer = ask(match)
    assert offer.still_waits_in(match)
    assert not offer.still_waits_in(followed(match, answers.decline_draw(match, by(BO))))
    assert not offer.still_waits_in(followed(match, answers.accept_draw(match, by(BO))))
    assert not offer.still_waits_in(followed(match, play_typed(match, ADA, "F7-F8", NOW)))


def test_a_replaced_request_leaves_the_earlier_one_waiting_for_nobody() -> None:
    match = followed(live(), leaving.propose_substitute(live(), by(ADA), DEE))
    first = ask(match)
    match = followed(match, leaving.propose_substitute(match, by(ADA), CY))
    assert (first.still_waits_in(match), ask(match).still_waits_in(match)) == (False, True)


def test_a_call_waits_until_somebody_comes_or_nobody_has() -> None:
    match = followed(live("tri-camelot"), leaving.resign(live("tri-camelot"), by(BO)))
    call = ask(match)
    assert call.still_waits_in(followed(match, play_typed(match, ADA, "F7-F9", NOW)))
    assert not call.still_waits_in(followed(match, leaving.take_over(match, by(DEE))))
    assert not call.still_waits_in(followed(match, leaving.advance_vacancy(match, existing(match.vacancy).until)))


def test_what_belongs_to_a_turn_waits_until_the_board_changes() -> None:
    match = live()
    reminder = WaitingMessage(0, match.board_version)
    assert reminder.still_waits_in(match)
    assert not reminder.still_waits_in(followed(match, play_typed(match, ADA, "F7-F8", NOW)))
    assert not reminder.still_waits_in(followed(match, leaving.resign(match, by(BO))))
