"""Telling the players: one new message a turn, posted after the move is stored and marked when it is out."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import discord
import structlog

from bot.kit.fair_thread import Priority
from bot.kit.permissions import Trouble, trouble_at
from bot.kit.reply import LONGEST, RESOLVED, attachment, called, calling, now, picture
from bot.match.events import CLOSING, REFEREED, EventKind
from bot.match.match import Match, Phase
from bot.match.news import News, settled
from bot.match.results import Post
from bot.posting.audit import Auditor
from bot.posting.desk import Desk
from bot.posting.homeless import find_place, lose_place, lost_to
from bot.posting.homes import leave_thread, move_in, put_away
from bot.posting.ladders import LadderAnnouncer
from bot.posting.outbox import Outbox, StaleError, best_effort
from bot.posting.people import record_of
from bot.posting.reminding import (
    BESIDES,
    INSTEAD,
    ClosedDoorError,
    call_followers,
    direct_message,
    door_closed,
    follow_buttons,
    linked,
    wanted_directly,
    write_besides,
)
from bot.posting.requests import clear_asks, note_ask, take_buttons_off
from bot.posting.tables import table_text, table_view
from bot.posting.telling import Notice, notice
from bot.posting.turn import (
    changes_deadline,
    has_board,
    show_deadline,
    turn_buttons,
    turn_text,
    turn_view,
    turn_words,
)
from bot.texts.i18n import Language
from bot.texts.ladder import brought_text, undone_text

log = structlog.get_logger()

FOLLOWERS_FIRST = 1.0
"""Seconds for which a board that is out waits for its followers to be called."""


class Announcer(Outbox[int, News]):
    """Posts what has happened in a game and not been told yet: one new message a turn."""

    def __init__(self, desk: Desk, auditor: Auditor, ladder_announcer: LadderAnnouncer) -> None:
        super().__init__(desk)
        self._auditor = auditor
        self._ladder_announcer = ladder_announcer

    async def due(self, match_id: int) -> Sequence[News]:
        """The news that has not been told, as far as it is to be told by itself.

        In a game without a place nothing waits, so that whoever moves hears at once that nobody could be told.
        """
        found = await self._desk.service.news(match_id)
        return found if found and found[-1].match.homeless else settled(found, now())

    async def empty(self, match_id: int, due: Sequence[News]) -> Trouble | None:
        """Enter in the audit, post, and note where the place is lost or found again.

        Without a request where a lost place is known to be gone still. What has brought a ladder's game about is told
        before its first board.
        """
        if due and due[0].kind is EventKind.STARTED and due[0].match.ladder:
            await self._ladder_announcer.announce((due[0].match.guild, due[0].match.variant.key))
        if any(one.kind in REFEREED for news in due for one in news.chain):
            trouble = await self._auditor.announce(match_id)
            if trouble and trouble.obstacle.passes:
                await lose_place(self._desk, due[-1], trouble)
                return trouble
            due = await self.due(match_id)  # the audit may have waited while they moved on
        if not due:
            return None
        last = due[-1]
        if lost := await lost_to(self._desk, last.match):
            await lose_place(self._desk, last, lost)
            return lost
        trouble = await super().empty(match_id, due)
        if trouble:
            await lose_place(self._desk, last, trouble)
        elif last.match.homeless:
            await self._settle_in(last.match)
        return trouble

    async def _settle_in(self, match: Match) -> None:
        """Note that a game which had lost its place can be told of there again."""
        if (match := await self._desk.service.match(match.id, match.guild)).homeless:
            await find_place(self._desk, match.id, match.thread)

    async def post(self, news: News) -> discord.Message | None:
        """Post it with the board or below it, in its thread; in the channel if that is gone."""
        match = news.match
        if news.kind is EventKind.STARTED and await move_in(self._desk, match):
            raise StaleError
        if news.kind is EventKind.STARTED or news.kind in CLOSING:
            expired = news.user is None
            self._desk.errands.tidy(match.channel, lambda: self.show_table(match, expired=expired))
        elif match.phase is Phase.OPEN and news.kind is EventKind.PROLONGED:
            self._desk.errands.tidy(match.channel, lambda: self.show_table(match))
        locale = self._desk.language(match.guild)
        said = await self._with_undone(locale, news, notice(locale, news, await self._name(news)))
        try:
            if has_board(news):
                return await self._post(locale, news, said)
            return await self._remark(news, said)
        except discord.HTTPException as error:
            if not await leave_thread(self._desk, match, error):
                raise
            raise StaleError from None

    async def mark(self, news: News, message: discord.Message | None, *, latest: bool) -> None:
        """Note that it is told, and leave buttons only where they are of use."""
        match, service = news.match, self._desk.service
        if message is None or not has_board(news):
            shown = await service.mark_announced(match.id, news.seq)
            if news.kind is EventKind.ANNULLED:
                await service.profiles.mark_undone_told(match.id)
            if latest and changes_deadline(news):
                self._desk.errands.tidy(match.where, lambda: show_deadline(self._desk, match))
            if news.kind is EventKind.VACATED and match.to_move is None and shown is not None:  # nobody is called
                take_buttons_off(self._desk, shown)
            return
        if latest:  # before the note, so that a crash makes it be repeated; where Discord is slow, it goes on beside it
            calling = self._desk.errands.begin(call_followers(self._desk, news, f"f{_nonce(news)}"))
            await asyncio.wait({calling}, timeout=FOLLOWERS_FIRST)
        before = await service.mark_announced(match.id, news.seq, Post(message.channel.id, message.id))
        if match.is_live and match.to_move is None:
            await note_ask(self._desk, news, message)
        if news.kind is EventKind.MOVED:
            for _ in news.chain:
                self._desk.metrics.moved()
        if before is not None:
            take_buttons_off(self._desk, before)

    async def finish(self, match_id: int, due: Sequence[News]) -> None:
        """Close the requests that wait no longer, and put away the thread of a game that is over."""
        if not due:
            return
        match = due[-1].match
        await clear_asks(self._desk, match)
        if match.thread is not None and match.phase is Phase.OVER:
            self._desk.errands.tidy(match.thread, lambda: put_away(self._desk, match))

    def trouble(self, news: News, error: Exception) -> Trouble:
        """What keeps it from being posted where the game is played."""
        match = news.match
        parent = match.channel if match.thread else None
        return trouble_at(self._desk.client, match.guild, match.where, error, parent)

    def named(self, match_id: int) -> dict[str, object]:
        """What the log calls it."""
        return {"match": match_id}

    async def _with_undone(self, locale: Language, news: News, said: Notice | None) -> Notice | None:
        """The words, with what annulling a game has taken back; the others as they are."""
        undone = await self._desk.service.profiles.undone(news.match.id) if news.kind is EventKind.ANNULLED else None
        if said is None or undone is None:
            return said
        return said._replace(text="\n".join([said.text, *undone_text(locale, undone, news.event.at)]))

    async def _post(self, locale: Language, news: News, said: Notice | None) -> discord.Message:
        match = news.match
        png = await self._desk.pictures.draw(turn_view(news), Priority.PUBLIC)
        files = [picture(png, _filename(match), turn_words(locale, news))]
        record, gains = None, list[str]()
        if match.outcome:
            record = await record_of(self._desk.names, self._desk.service, match)
            gains = brought_text(locale, await self._desk.service.profiles.brought(match.id), news.event.at)
            files.append(attachment(record.encode(), f"game-{match.id}.txt"))
        ping, words = calling(news.still_calls), said.text if said else ""
        shown = await self._spelled(match, turn_text(locale, news, words, record, gains), ping)
        if len(shown) > LONGEST:  # by the names
            shown = await self._spelled(match, turn_text(locale, news, words, None, gains), ping)
        return await self._desk.send(
            match.where,
            shown,
            _nonce(news),
            guild=match.guild,
            ping=ping,
            buttons=[*turn_buttons(locale, match), *follow_buttons(self._desk, match), *(said.buttons if said else ())],
            files=files,
        )

    async def _spelled(self, match: Match, said: str, ping: discord.AllowedMentions) -> str:
        return await self._desk.names.spell(match.guild, said, called(ping))

    async def _remark(self, news: News, said: Notice | None) -> discord.Message | None:
        """Post a few lines below the board that stands, if there is anything to say."""
        if said is None or news.overtaken:
            return None
        locale, name = self._desk.language(news.match.guild), await self._name(news)
        words, message = await linked(self._desk, locale, news, said.text), None
        if wanted_directly(news, INSTEAD):
            try:
                message = await direct_message(self._desk, news, name, _nonce(news))
            except ClosedDoorError:
                words += f"\n{door_closed(locale)}"
        if message is None:
            ping, match = calling(news.still_calls), news.match
            message = await self._desk.send(
                match.where, words, _nonce(news), guild=match.guild, ping=ping, buttons=said.buttons
            )
        if said.buttons:
            await note_ask(self._desk, news, message)
        if news.match.to_move in news.still_calls and wanted_directly(news, BESIDES):
            await write_besides(self._desk, news, name, f"d{_nonce(news)}", message)
        return message

    async def _name(self, news: News) -> str:
        """What whoever brought the news about is called."""
        user = news.chain[0].user
        return await self._desk.names.of(news.match.guild, user) if user is not None else ""

    async def show_table(self, match: Match, *, expired: bool = False) -> None:
        """Bring the table's message up to date. It may have been deleted, which is no loss."""
        locale = self._desk.language(match.guild)
        if match.phase is Phase.OPEN:  # somebody may have sat down since this was asked for
            match = await self._desk.service.match(match.id, match.guild)
        place = (await self._desk.service.posts(match.id)).table
        if place is None:
            return
        house = self._desk.servers.settings(match.guild).has_house
        said, view = table_text(locale, match, expired=expired), table_view(locale, match, house=house)
        content = await self._desk.names.spell(match.guild, said, match.invited)
        with best_effort("table not edited", match=match.id):
            await self._desk.message(place).edit(content=content, view=view, allowed_mentions=RESOLVED)


def _nonce(news: News) -> str:
    """The same for the same news, so that Discord drops what a crash makes us post again."""
    return f"{news.match.created:x}:{news.match.id}:{news.seq}"


def _filename(match: Match) -> str:
    return f"game-{match.id}-{match.ply}"
