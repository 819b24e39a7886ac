"""Posts the annotated game when somebody has shared their words, and keeps its message up to date."""

from __future__ import annotations

import discord
import structlog

from bot.core.listings import MessageRef
from bot.core.match import Match, Phase
from bot.discordkit.components import make_view
from bot.discordkit.fair_thread import Priority
from bot.discordkit.permissions import ARCHIVED_CODE, Trouble, known_trouble, trouble_at
from bot.discordkit.reply import RESOLVED, picture_file
from bot.play.announcing.outbox import UNSENT_ERRORS, post_with_retries
from bot.play.context import BotContext
from bot.play.places.homes import archive_game_thread
from bot.texts.i18n import Language, text
from bot.thoughts.annotated import AnnotatedGame
from bot.thoughts.pager import page_buttons
from bot.thoughts.rows import DuePost
from bot.thoughts.service import Thoughts
from bot.thoughts.words import page_alt_text, page_text, page_view

log = structlog.get_logger()


async def keep_annotated_games(context: BotContext, now: int) -> None:
    """Posts annotated games and updates their messages. A failure with one game does not delay the others."""
    attempts = context.service.attempts
    with attempts.contain_failures("annotated games"):
        for due in await context.service.part(Thoughts).due_posts():
            with attempts.contain_failures("annotated games", game=due.match):
                await _keep_annotated_game(context, due)


async def _keep_annotated_game(context: BotContext, due: DuePost) -> None:
    thoughts = context.service.part(Thoughts)
    match = await thoughts.load_match(due.match)
    guild, place = context.client.get_guild(match.guild), due.post.channel if due.post else match.thread_or_channel
    if guild is None or not context.reaches_server(match.guild):
        return
    if _waits_for_end_of(known_trouble(guild, place), edits=due.post is not None):
        return
    game = await thoughts.annotated_game(match) if match.phase is Phase.OVER else None
    post = due.post
    try:
        if post is not None:
            await _update_post(context, match, game, post)
        elif game is not None and game.sharers:
            post = await _post_game(context, match, game)
    except UNSENT_ERRORS as error:
        trouble = trouble_at(context.client, match.guild, place, error, match.channel)
        log.info("annotated game not shown", match=match.id, obstacle=trouble.obstacle.value, error=str(error))
        if _waits_for_end_of(trouble, edits=due.post is not None):
            return
        post = None
    await thoughts.note_posted(match.id, post, game)
    if match.thread is not None and match.phase is Phase.OVER:
        context.background.queue_edit(match.thread, lambda: archive_game_thread(context, match))


def _waits_for_end_of(trouble: Trouble | None, *, edits: bool) -> bool:
    """Returns True if the message remains due until the trouble is over. `edits`: it was to be edited, not posted.

    An edit needs no permission except to see the channel.
    """
    if trouble is None:
        return False
    return trouble.obstacle.is_temporary or ("view_channel" in trouble.missing if edits else bool(trouble.missing))


async def _post_game(context: BotContext, match: Match, game: AnnotatedGame) -> MessageRef:
    locale = context.server_language(match.guild)
    nonce = f"a{match.created:x}:{match.id}"  # so that Discord drops a post repeated after a crash

    async def send() -> discord.Message:
        return await context.send_message(
            match.thread_or_channel,
            page_text(locale, game, 0),
            nonce,
            guild=match.guild,
            buttons=page_buttons(locale, game, 0),
            files=[await _first_picture(context, locale, game)],
        )

    message = await post_with_retries(send, context.timings)
    return MessageRef(message.channel.id, message.id)


async def _first_picture(context: BotContext, locale: Language, game: AnnotatedGame) -> discord.File:
    png = await context.pictures.draw_board(page_view(game, 0), Priority.PUBLIC)
    return picture_file(png, f"annotated-{game.match.id}-0", page_alt_text(locale, game, 0))


async def _update_post(context: BotContext, match: Match, game: AnnotatedGame | None, post: MessageRef) -> None:
    """Edits the message: it shows the first page again, or says that the words are sealed or no longer shared."""
    locale = context.server_language(match.guild)
    if game is not None and game.sharers:
        words = await context.names.spell_names(match.guild, page_text(locale, game, 0))
        buttons = make_view(*page_buttons(locale, game, 0))
    else:
        words = text(locale, "annotated.gone" if game else "annotated.reopened", id=match.id)
        buttons = None
    shown = game is not None and game.sharers

    async def edit() -> None:
        files = [await _first_picture(context, locale, game)] if shown and game else []
        message = context.partial_message(post)
        await message.edit(content=words, view=buttons, attachments=files, allowed_mentions=RESOLVED)

    try:
        await edit()
    except discord.HTTPException as error:
        if error.code != ARCHIVED_CODE:
            raise
        thread = await context.client.fetch_channel(post.channel)
        assert isinstance(thread, discord.Thread)
        await thread.edit(archived=False)
        await edit()
