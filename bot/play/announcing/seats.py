"""The offer of a vacant seat where the table was opened, which people see who do not follow the game's thread."""

from __future__ import annotations

from contextlib import AsyncExitStack

import structlog

from bot.core.match import Match
from bot.core.match_state import Vacancy
from bot.core.news import News
from bot.discordkit.reply import now
from bot.play.announcing.outbox import UNSENT_ERRORS
from bot.play.announcing.pinging import pinging_only
from bot.play.announcing.requests import note_request_for
from bot.play.announcing.telling.leavers import take_over_button
from bot.play.context import BotContext
from bot.texts.i18n import join_list, text
from bot.texts.markup import relative_time
from bot.texts.people import mention_users
from bot.texts.sentences import side_values, titled_name

log = structlog.get_logger()


async def offer_seat(context: BotContext, news: News) -> None:
    """Offers a vacant seat in the channel where the table was opened, and calls the people that features name.

    Posts nothing if the game is played there and nobody is to be called. Best effort: the call in the game stands.
    """
    match = await context.service.current_match(news.match.id, news.match.guild)
    vacancy = match.vacancy
    if vacancy is None or vacancy.seq != news.event.seq:  # taken over already, for instance
        return
    posts = await context.service.posts_of(match.id)
    place = posts.table.channel if posts.table else match.channel
    try:
        async with AsyncExitStack() as calls:
            users = list[int]()
            for feature in context.features:
                users += await calls.enter_async_context(feature.call_to_seat(context, match, now()))
            if users or place != match.thread_or_channel:
                await _post_offer(context, match, vacancy, place, users)
    except UNSENT_ERRORS as error:
        log.info("seat not offered", match=match.id, channel=place, error=str(error) or type(error).__name__)


async def _post_offer(context: BotContext, match: Match, vacancy: Vacancy, place: int, users: list[int]) -> None:
    locale = context.server_language(match.guild)
    lines = [
        text(
            locale,
            "leaver.offer",
            id=match.id,
            variant=titled_name(locale, match.variant, match.title),
            place=f"<#{match.thread_or_channel}>",
            until=relative_time(vacancy.until),
            **side_values(locale, match.variant, vacancy.seat),
        )
    ]
    if users:
        lines.append(text(locale, "leaver.offer-call", players=join_list(locale, mention_users(locale, users))))
    message = await context.send_message(
        place,
        "\n".join(lines),
        f"v{match.created:x}:{match.id}:{vacancy.seq}",  # after a crash before the mark, Discord drops the repeat
        guild=match.guild,
        ping=pinging_only(users),
        buttons=[take_over_button(locale, match, vacancy)],
    )
    await note_request_for(context, match, vacancy.seq, message)
