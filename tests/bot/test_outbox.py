"""The outbox: stored first, then posted in order and one at a time, then marked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import discord
import pytest
from structlog.testing import capture_logs

from bot.core.events import EventKind
from bot.core.news import News, collect_news
from bot.core.settings import GuildSettings
from bot.core.timings import Timings
from bot.discordkit.permissions import Obstacle, Trouble, obstacle_of
from bot.discordkit.reply import make_view
from bot.features import FEATURES
from bot.play.announcing import announcer
from bot.play.announcing.announcer import Announcer
from bot.play.announcing.outbox import Outbox, StaleError, best_effort, post_with_retries
from bot.play.background import FAILURES_TO_REPORT, Attempts, BackgroundTasks
from bot.play.context import Post
from bot.play.service import Service
from tests.bot.contexts import make_context
from tests.bot.playing import started

Posting = Callable[[str], None]

AT_ONCE = Timings(post_retry_pauses_s=(0, 0))
IMPATIENT = replace(AT_ONCE, announce_timeout_s=0)


class Letters(Outbox[str, str]):
    """Items that wait for a place; `post` may raise. Records what happens."""

    def __init__(self, post: Posting = lambda _: None, timings: Timings = AT_ONCE) -> None:
        self.attempts = Attempts()
        super().__init__(make_context(SimpleNamespace(attempts=self.attempts), timings=timings))
        self.waiting: dict[str, list[str]] = {}
        self.done: list[str] = []
        self._post = post

    async def due_subjects(self) -> list[Any]:
        return []

    async def load_due(self, place: str) -> Sequence[str]:
        return list(self.waiting[place])

    async def post_item(self, word: str) -> discord.Message | None:
        return await post_with_retries(partial(self._send, word), self._context.timings)

    async def _send(self, word: str) -> None:
        self.done.append(f"posting {word}")
        await asyncio.sleep(0)  # another task may run here
        self._post(word)

    async def mark_told(self, word: str, message: discord.Message | None, *, latest: bool) -> None:
        self.done.append(f"marked {word}{'!' if latest else ''}")
        for words in self.waiting.values():
            if word in words:
                words.remove(word)

    def trouble_with(self, word: str, error: Exception) -> Trouble:
        return Trouble(obstacle_of(error), 1)

    def log_fields(self, place: str) -> dict[str, object]:
        return {"place": place}


def failing(*errors: Exception) -> Posting:
    """Raises these errors one after the other, then none."""
    left = list(errors)

    def post(_: str) -> None:
        if left:
            raise left.pop(0)

    return post


TWICE = [ConnectionError(), ConnectionError()]


@pytest.mark.parametrize(
    ("waiting", "errors", "trouble", "done"),
    [
        ("one two", [], None, "posting one, marked one, posting two, marked two!"),
        ("one two", [OSError("no disk")], Trouble(Obstacle.OUTAGE, 1), "posting one"),
        ("one", TWICE, None, "posting one, posting one, posting one, marked one!"),  # at once
        ("one", [StaleError()], None, "posting one, posting one, marked one!"),  # read again: its place has changed
    ],
)
async def test_each_post_is_marked_before_the_next_and_only_the_last_counts(
    waiting: str, errors: list[Exception], trouble: Trouble | None, done: str
) -> None:
    letters = Letters(failing(*errors))
    letters.waiting["a"] = waiting.split()
    assert await letters.announce_subject("a") == trouble
    assert ", ".join(letters.done) == done
    assert letters.waiting["a"] == (waiting.split() if trouble else [])


async def test_a_second_caller_finds_nothing_left_and_other_subjects_do_not_wait() -> None:
    letters = Letters()
    letters.waiting = {"a": ["one"], "b": ["two"]}
    await asyncio.gather(letters.announce_subject("a"), letters.announce_subject("a"), letters.announce_subject("b"))
    assert letters.done.count("posting one") == 1
    assert letters.done.index("posting two") < letters.done.index("marked one!")


async def test_nobody_waits_long_for_a_post_which_goes_on_nevertheless() -> None:
    letters = Letters(timings=IMPATIENT)
    letters.waiting["a"] = ["one"]
    await (busy := letters.subject_lock("a")).acquire()  # as if another task were posting
    assert await letters.announce_subject("a") == Trouble(Obstacle.SLOW, 0)
    assert letters.done == []
    busy.release()
    await letters._context.background.finish_tasks(60)
    assert letters.done == ["posting one", "marked one!"]


async def test_an_error_of_our_own_undoes_nothing_that_is_to_be_told() -> None:
    letters = Letters(failing(KeyError("key")))
    letters.waiting["a"] = ["one"]
    with capture_logs() as logged:
        assert await letters.announce_subject("a") == Trouble(Obstacle.FAILED, 0)
    assert [(entry["part"], entry["log_level"]) for entry in logged] == [("posts", "error")]
    assert await letters.announce_subject("a") is None  # it is announced later, without waiting for the lock


async def test_an_error_after_nobody_waits_any_longer_is_logged_with_its_subject() -> None:
    letters = Letters(failing(KeyError("key")))
    letters.waiting["a"] = ["one"]
    await (busy := letters.subject_lock("a")).acquire()  # as if another task were posting
    with capture_logs() as logged:
        assert await letters.announce_subject("a") == Trouble(Obstacle.SLOW, 0)
        busy.release()
        await letters._context.background.finish_tasks(60)
    assert [(entry["part"], entry["place"], repr(entry["exc_info"])) for entry in logged] == [
        ("posts", "a", "KeyError('key')")
    ]


async def test_a_post_that_keeps_failing_by_our_fault_is_named() -> None:
    letters = Letters(failing(*[KeyError("key")] * FAILURES_TO_REPORT))
    letters.waiting["a"] = ["one"]
    for _ in range(FAILURES_TO_REPORT):
        assert letters.attempts.describe_failures(everywhere=False) is None
        await letters.announce_subject("a")
    assert letters.attempts.describe_failures(everywhere=False) == "failing: posts (place a)"
    await letters.announce_subject("a")
    assert letters.attempts.describe_failures(everywhere=False) is None


def test_best_effort_does_without_what_is_not_granted_and_hides_nothing_else() -> None:
    with best_effort("not done"):
        failing(ConnectionError())("word")
    with pytest.raises(KeyError), best_effort("not done"):
        failing(KeyError())("word")


async def test_a_stop_cancels_running_posts_and_what_late_events_would_start() -> None:
    background, stored = BackgroundTasks(), list[int]()
    hung = background.start_task(asyncio.Event().wait())
    await background.finish_tasks(0)
    assert hung.cancelled()

    async def read_closed_database() -> None:
        stored.append(1)

    late = background.start_task(read_closed_database())
    await asyncio.wait({late})
    assert late.cancelled()
    assert stored == []


@pytest.mark.parametrize("slow", [False, True])
async def test_followers_are_called_before_a_move_is_marked_but_only_briefly(
    slow: bool, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    done, told = list[str](), asyncio.Event()

    async def call(*_: object) -> None:
        if slow:
            await told.wait()
        done.append("followers called")

    async def mark(*_: object, **__: object) -> None:
        done.append("marked")

    monkeypatch.setattr(announcer, "call_followers", call)
    monkeypatch.setattr(announcer, "add_edits", mark)
    metrics = SimpleNamespace(count=lambda _: None)
    parts = make_context(service, timings=Timings(further_calls_wait_s=0.01), metrics=metrics)
    event: Any = SimpleNamespace(kind=EventKind.MOVED, seq=5, user=1)
    table, place = SimpleNamespace(created=0), SimpleNamespace(thread_or_channel=3)
    match: Any = SimpleNamespace(id=1, table=table, place=place, is_live=True, to_move=2)
    message: Any = SimpleNamespace(id=7, channel=SimpleNamespace(id=3))
    await Announcer(parts).mark_told(News(5, match, event), message, latest=True)
    assert done == (["marked"] if slow else ["followers called", "marked"])
    told.set()
    await parts.background.finish_tasks(1)
    assert sorted(done) == ["followers called", "marked"]


def desk_for_boards(draw_board: object, send_post: object, service: Service) -> Any:
    """Returns as much of a context as the post of a board needs."""

    async def spell_names(_: int, content: str, *__: object) -> str:
        return content

    return SimpleNamespace(
        composed_since={},
        client=SimpleNamespace(get_guild=lambda _: None),
        names=SimpleNamespace(spell_names=spell_names),
        pictures=SimpleNamespace(draw_board=draw_board),
        jobs_due=asyncio.Event(),
        server_language=lambda _: "en",
        servers=SimpleNamespace(settings_of=lambda _: GuildSettings()),
        service=service,
        features=FEATURES,
        timings=AT_ONCE,
        send_post=send_post,
    )


async def test_a_retry_repeats_only_the_post(service: Service) -> None:
    done, sent = list[str](), list[tuple[object, ...]]()

    async def draw_board(*_: object, **__: object) -> bytes:
        done.append("drawn")
        return b"a picture"

    async def send_post(post: Post) -> Any:
        for file in (make_file() for make_file in post.files):
            shown = make_view(*post.buttons).to_components()
            sent.append((post.content, post.nonce, shown, file.filename, file.fp.read()))
            file.fp.close()  # as after a request
        if len(sent) < 3:
            raise ConnectionError
        return SimpleNamespace()

    parts = desk_for_boards(draw_board, send_post, service)
    await Announcer(parts).post_item(collect_news(1, started("camelot"), 0)[0])
    assert done == ["drawn"]
    assert len(sent) == 3
    assert sent == [sent[0]] * 3


async def test_a_board_is_late_while_only_the_bot_keeps_it_waiting(service: Service) -> None:
    drawing, drawn, sending, sent = (asyncio.Event() for _ in range(4))

    async def draw_board(*_: object, **__: object) -> bytes:
        drawing.set()
        await drawn.wait()
        return b"a picture"

    async def send_post(_: Post) -> Any:
        sending.set()
        await sent.wait()
        return SimpleNamespace()

    parts = desk_for_boards(draw_board, send_post, service)
    posting = asyncio.create_task(Announcer(parts).post_item(collect_news(1, started("camelot"), 0)[0]))
    await drawing.wait()
    await asyncio.sleep(0.01)
    assert list(parts.composed_since) == [1]
    drawn.set()
    await sending.wait()
    assert not parts.composed_since
    sent.set()
    await posting


@pytest.mark.parametrize(("status", "tries"), [(503, 2), (500, 1)])
async def test_a_post_is_repeated_only_if_discord_is_overloaded(status: int, tries: int) -> None:
    response: Any = SimpleNamespace(status=status, reason="")
    tried = list[int]()

    async def post() -> str:
        tried.append(status)
        if len(tried) == 1:
            raise discord.DiscordServerError(response, "")
        return "posted"

    with nullcontext() if tries > 1 else pytest.raises(discord.DiscordServerError):
        assert await post_with_retries(post, AT_ONCE) == "posted"
    assert len(tried) == tries
