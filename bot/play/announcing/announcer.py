"""Announces games to their players: one new message a turn, posted after the move is stored and marked
once it is out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import discord
import structlog

from bot.core.events import REFEREE_EVENTS, TABLE_CLOSING_EVENTS, EventKind
from bot.core.match import Match, Phase
from bot.core.news import News, hold_for_house_answer
from bot.core.results import MessageRef
from bot.discordkit.fair_thread import Priority
from bot.discordkit.permissions import Trouble, trouble_at
from bot.discordkit.reply import (
    MAX_MESSAGE_LENGTH,
    RESOLVED,
    make_attachment,
    now,
    picture_file,
    pinging_only,
    users_pinged,
)
from bot.ladder.posts import LadderAnnouncer
from bot.ladder.words import effects_text, undone_text
from bot.play.announcing.audit import Auditor
from bot.play.announcing.outbox import Outbox, StaleError, best_effort
from bot.play.announcing.people import record_of
from bot.play.announcing.reminding import (
    DIRECT_ONLY_EVENTS,
    DIRECT_TOO_EVENTS,
    DirectMessagesClosed,
    call_followers,
    dms_closed_text,
    follow_buttons,
    send_direct_copy,
    send_direct_message,
    wants_direct_message,
    with_board_link,
)
from bot.play.announcing.requests import close_requests, note_request, take_buttons_off
from bot.play.announcing.tables import table_text, table_view
from bot.play.announcing.telling import Notice, make_notice
from bot.play.announcing.turn import (
    changes_deadline,
    has_board,
    turn_alt_text,
    turn_buttons,
    turn_text,
    turn_view,
    update_deadline,
)
from bot.play.context import BotContext
from bot.play.places.homeless import handle_lost_place, known_obstacle, note_channel_found
from bot.play.places.homes import archive_game_thread, leave_thread, open_game_thread
from bot.profile.service import Profiles
from bot.texts.i18n import Language

log = structlog.get_logger()

FOLLOWERS_WAIT_S = 1.0
"""Seconds that a posted board waits for the call to its followers."""


class Announcer(Outbox[int, News]):
    """Posts what has happened in a game and has not been announced: one new message a turn."""

    def __init__(self, context: BotContext, auditor: Auditor, ladder_announcer: LadderAnnouncer) -> None:
        super().__init__(context)
        self._auditor = auditor
        self._ladder_announcer = ladder_announcer

    async def load_due(self, match_id: int) -> Sequence[News]:
        """Returns the unannounced news, without news that will come together with the house player's answer.

        In a game without a place nothing is held back, so that the mover hears at once that nobody could be told.
        """
        news = await self._context.service.unannounced_news(match_id)
        return news if news and news[-1].match.has_lost_channel else hold_for_house_answer(news, now())

    async def post_all_due(self, match_id: int, due: Sequence[News]) -> Trouble | None:
        """Enters acts in the audit, posts, and notes if the place is lost or found again.

        Sends no request if a lost place is known to be still gone. A ladder game's first board follows the ladder news
        that led to the game.
        """
        if due and due[0].kind is EventKind.STARTED and due[0].match.ladder:
            await self._ladder_announcer.announce_subject((due[0].match.guild, due[0].match.variant.key))
        if any(item.kind in REFEREE_EVENTS for news in due for item in news.told_together):
            trouble = await self._auditor.announce_subject(match_id)
            if trouble and trouble.obstacle.is_temporary:
                await handle_lost_place(self._context, due[-1], trouble)
                return trouble
            due = await self.load_due(match_id)  # the players may have moved on while the audit waited
        if not due:
            return None
        last = due[-1]
        if obstacle := await known_obstacle(self._context, last.match):
            await handle_lost_place(self._context, last, obstacle)
            return obstacle
        trouble = await super().post_all_due(match_id, due)
        if trouble:
            await handle_lost_place(self._context, last, trouble)
        elif last.match.has_lost_channel:
            await self._note_place_regained(last.match)
        return trouble

    async def _note_place_regained(self, match: Match) -> None:
        """Notes that a game which had lost its place can be announced there again."""
        if (match := await self._context.service.current_match(match.id, match.guild)).has_lost_channel:
            await note_channel_found(self._context, match.id, match.thread)

    async def post_item(self, news: News) -> discord.Message | None:
        """Posts the news with the board or below it, in the game's thread; in the channel if the thread is gone."""
        match = news.match
        if news.kind is EventKind.STARTED and await open_game_thread(self._context, match):
            raise StaleError
        if news.kind is EventKind.STARTED or news.kind in TABLE_CLOSING_EVENTS:
            expired = news.user is None
            self._context.background.queue_edit(match.channel, lambda: self.update_table(match, expired=expired))
        elif match.phase is Phase.OPEN and news.kind is EventKind.PROLONGED:
            self._context.background.queue_edit(match.channel, lambda: self.update_table(match))
        locale = self._context.server_language(match.guild)
        remark = await self._with_undone(locale, news, make_notice(locale, news, await self._actor_name(news)))
        try:
            if has_board(news):
                return await self._post_board(locale, news, remark)
            return await self._post_below_board(news, remark)
        except discord.HTTPException as error:
            if not await leave_thread(self._context, match, error):
                raise
            raise StaleError from None

    async def mark_told(self, news: News, message: discord.Message | None, *, latest: bool) -> None:
        """Marks the news as announced, and removes buttons that are no longer of use."""
        match, service = news.match, self._context.service
        if message is None or not has_board(news):
            board_post = await service.mark_announced(match.id, news.seq)
            if news.kind is EventKind.ANNULLED:
                await service.part(Profiles).mark_undone_announced(match.id)
            if latest and changes_deadline(news):
                self._context.background.queue_edit(
                    match.thread_or_channel, lambda: update_deadline(self._context, match)
                )
            if news.kind is EventKind.VACATED and match.to_move is None and board_post is not None:  # nobody is called
                take_buttons_off(self._context, board_post)
            return
        if latest:  # before the mark, so that a crash repeats it; a slow call continues alone
            calling = self._context.background.start_task(call_followers(self._context, news, f"f{_news_nonce(news)}"))
            await asyncio.wait({calling}, timeout=FOLLOWERS_WAIT_S)
        board_before = await service.mark_announced(match.id, news.seq, MessageRef(message.channel.id, message.id))
        if match.is_live and match.to_move is None:
            await note_request(self._context, news, message)
        if news.kind is EventKind.MOVED:
            for _ in news.told_together:
                self._context.metrics.count_move()
        if board_before is not None:
            take_buttons_off(self._context, board_before)

    async def finish_subject(self, match_id: int, due: Sequence[News]) -> None:
        """Closes the requests that nobody has to answer any more, and archives the thread of a finished game."""
        if not due:
            return
        match = due[-1].match
        await close_requests(self._context, match)
        if match.thread is not None and match.phase is Phase.OVER:
            self._context.background.queue_edit(match.thread, lambda: archive_game_thread(self._context, match))

    def trouble_with(self, news: News, error: Exception) -> Trouble:
        """Returns what keeps the news from being posted where the game is played."""
        match = news.match
        parent = match.channel if match.thread else None
        return trouble_at(self._context.client, match.guild, match.thread_or_channel, error, parent)

    def log_fields(self, match_id: int) -> dict[str, object]:
        """Returns the game for the log."""
        return {"match": match_id}

    async def _with_undone(self, locale: Language, news: News, remark: Notice | None) -> Notice | None:
        """Returns the notice. If the game was annulled, adds the effects that were taken back."""
        undone = (
            await self._context.service.part(Profiles).undone_effects(news.match.id)
            if news.kind is EventKind.ANNULLED
            else None
        )
        if remark is None or undone is None:
            return remark
        return remark._replace(text="\n".join([remark.text, *undone_text(locale, undone, news.event.at)]))

    async def _post_board(self, locale: Language, news: News, remark: Notice | None) -> discord.Message:
        match = news.match
        viewpoint = self._context.servers.settings_of(match.guild).viewpoint
        png = await self._context.pictures.draw_board(turn_view(news, viewpoint), Priority.PUBLIC)
        files = [picture_file(png, _board_filename(match), turn_alt_text(locale, news))]
        record, gains = None, list[str]()
        if match.outcome:
            record = await record_of(self._context.names, self._context.service, match)
            gains = effects_text(
                locale, await self._context.service.part(Profiles).result_effects(match.id), news.event.at
            )
            files.append(make_attachment(record.encode(), f"game-{match.id}.txt"))
        ping, words = pinging_only(news.still_calls), remark.text if remark else ""
        content = await self._with_names(match, turn_text(locale, news, words, record, gains), ping)
        if len(content) > MAX_MESSAGE_LENGTH:  # spelled names can make it too long
            content = await self._with_names(match, turn_text(locale, news, words, None, gains), ping)
        return await self._context.send_message(
            match.thread_or_channel,
            content,
            _news_nonce(news),
            guild=match.guild,
            ping=ping,
            buttons=[
                *turn_buttons(locale, match),
                *follow_buttons(self._context, match),
                *(remark.buttons if remark else ()),
            ],
            files=files,
        )

    async def _with_names(self, match: Match, content: str, ping: discord.AllowedMentions) -> str:
        return await self._context.names.spell_names(match.guild, content, users_pinged(ping))

    async def _post_below_board(self, news: News, remark: Notice | None) -> discord.Message | None:
        """Posts a few lines below the current board, if there is anything to say."""
        if remark is None or news.overtaken:
            return None
        locale, name = self._context.server_language(news.match.guild), await self._actor_name(news)
        words, message = await with_board_link(self._context, locale, news, remark.text), None
        if wants_direct_message(news, DIRECT_ONLY_EVENTS):
            try:
                message = await send_direct_message(self._context, news, name, _news_nonce(news))
            except DirectMessagesClosed:
                words += f"\n{dms_closed_text(locale)}"
        if message is None:
            ping, match = pinging_only(news.still_calls), news.match
            message = await self._context.send_message(
                match.thread_or_channel, words, _news_nonce(news), guild=match.guild, ping=ping, buttons=remark.buttons
            )
        if remark.buttons:
            await note_request(self._context, news, message)
        if news.match.to_move in news.still_calls and wants_direct_message(news, DIRECT_TOO_EVENTS):
            await send_direct_copy(self._context, news, name, f"d{_news_nonce(news)}", message)
        return message

    async def _actor_name(self, news: News) -> str:
        """Returns the name of the person who caused the news; empty if unknown."""
        user = news.told_together[0].user
        return await self._context.names.name_of(news.match.guild, user) if user is not None else ""

    async def update_table(self, match: Match, *, expired: bool = False) -> None:
        """Updates the table's message. Ignores a deleted one."""
        locale = self._context.server_language(match.guild)
        if match.phase is Phase.OPEN:  # somebody may have sat down since the edit was queued
            match = await self._context.service.current_match(match.id, match.guild)
        place = (await self._context.service.posts_of(match.id)).table
        if place is None:
            return
        house = self._context.servers.settings_of(match.guild).has_house
        words, view = table_text(locale, match, expired=expired), table_view(locale, match, house=house)
        content = await self._context.names.spell_names(match.guild, words, match.invited)
        with best_effort("table not edited", match=match.id):
            await self._context.partial_message(place).edit(content=content, view=view, allowed_mentions=RESOLVED)


def _news_nonce(news: News) -> str:
    """Returns the same nonce for the same news, so that Discord drops a post repeated after a crash."""
    return f"{news.match.created:x}:{news.match.id}:{news.seq}"


def _board_filename(match: Match) -> str:
    return f"game-{match.id}-{match.ply}"
