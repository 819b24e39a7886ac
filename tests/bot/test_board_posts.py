"""A board's post: the same nonce each time, unlike that of any other news, and pings that are still wanted."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import discord

from bot.core.events import EventKind
from bot.core.match import Match
from bot.core.news import collect_news
from bot.core.settings import GuildSettings
from bot.core.timings import DEFAULT_TIMINGS
from bot.play.announcing.announcer import Announcer
from bot.play.announcing.pinging import users_pinged
from tests.bot.playing import ADA, BO, NOW, play_typed, started


class Posts:
    """Notes the nonce of each post and the people whom it pings. Has as much of a context as a board needs."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, frozenset[int]]] = []
        self.features = ()
        self.timings = DEFAULT_TIMINGS
        self.client = SimpleNamespace(get_guild=lambda _: None)
        self.servers = SimpleNamespace(settings_of=lambda _: GuildSettings())
        self.service = SimpleNamespace()
        self.pictures = SimpleNamespace(draw_board=self._draw)
        self.names = SimpleNamespace(spell_names=self._spell, name_of=self._name)

    def server_language(self, _: int) -> str:
        return "en"

    async def send_message(self, _: int, __: str, nonce: str, *, ping: discord.AllowedMentions, **more: object) -> None:
        self.sent.append((nonce, users_pinged(ping)))

    async def _draw(self, *_: object) -> bytes:
        return b"png"

    async def _spell(self, _: int, content: str, __: object) -> str:
        return content

    async def _name(self, _: int, user: int) -> str:
        return str(user)


async def test_boards_differ_by_nonce_and_ping_nobody_whose_turn_is_over() -> None:
    events = started()
    for user, move in ((ADA, "F7-F8"), (BO, "F10-F9")):
        events += play_typed(Match.replay(1, events), user, move, NOW + 10)
    boards = [item for item in collect_news(1, events, 0) if item.kind is EventKind.MOVED]
    posts: Any = Posts()
    nobody: Any = None
    for item in (*boards, boards[-1]):
        await Announcer(posts, nobody).post_item(item)
    (first, overtaken), (last, pinged), again = posts.sent
    assert (overtaken, pinged) == (frozenset(), {ADA})
    assert first != last
    assert again == (last, pinged)
