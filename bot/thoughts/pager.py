"""The annotated game in Discord: one message with a board on each page. Anybody who sees it can turn the pages.

It is posted when somebody has shared their words, and kept up to date. Page 0 is the start, and page N the board
after N moves.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import discord
import structlog

from bot.core.listings import MessageRef
from bot.core.match import Match, Phase
from bot.core.problems import MatchError, Problem
from bot.core.settings import DEFAULT_USER_SETTINGS
from bot.discordkit.components import (
    Button,
    CountField,
    Family,
    FieldFormat,
    IdField,
    Menu,
    given_number,
    make_option,
    submitted_value,
)
from bot.discordkit.errors import Declined
from bot.discordkit.fair_thread import Priority
from bot.discordkit.paging import options_on_page, page_chosen, page_footer, pager_buttons, split_words
from bot.discordkit.permissions import ARCHIVED_CODE, Trouble, known_trouble, trouble_at
from bot.discordkit.reply import (
    RESOLVED,
    Interaction,
    acknowledge_press,
    make_attachment,
    make_view,
    may_manage_server,
    now,
    picture_file,
    reader_language,
    send_answer,
    think_beside,
    update_message,
)
from bot.play.announcing.outbox import UNSENT_ERRORS, post_with_retries
from bot.play.caller import Caller, context_of, draw_picture, public_language, run_heavy, take_turn
from bot.play.context import BotContext, Done, Later, Outcome, Post
from bot.play.known_servers import record_names
from bot.play.options import find_pressed_match
from bot.play.service.games import export_match
from bot.store import Job, Writer
from bot.texts import records
from bot.texts.i18n import Language, join_list, text
from bot.texts.markup import escape_markup
from bot.texts.people import mention_user
from bot.texts.sentences import alt_text, colour_name, moment_phrase, seat_emblem, text_board, titled_name
from bot.thoughts import service as thought_service
from bot.thoughts.service import MAX_THOUGHT_LENGTH, AnnotatedGame, Words, annotated_game, post_of
from render import View
from rules import format_move
from rules.record import move_numbers

log = structlog.get_logger()

PLACE_LOOK_S = 10
"""Seconds between two looks whether the bot may post a game where it was played."""
TURNING_BUTTONS = 3
"""The most turning points with a button. A review has no more than that."""


class PageState(NamedTuple):
    """The page to which a button leads."""

    match: IdField
    page: CountField = 0
    """The number of moves on the board."""
    part: Annotated[int, FieldFormat(r"\d{1,3}", int, later=True)] = 0
    """Which of several messages with the words about that board, counted from 0."""


PAGER = Family("rt-annotated", PageState)


def page_buttons(locale: Language, game: AnnotatedGame, shown: PageState, parts: int) -> list[list[Button]]:
    """Returns the rows of buttons below that one of the parts of a page."""

    def button(name: str, to: PageState, number: int | None = None) -> Button:
        label = text(locale, f"button.annotated-{name}", number=number)
        return PAGER.make_button(name if number is None else f"{name}-{number}", to, label)

    page, last = shown._replace(part=0), len(game.moves)
    following = page_of_next_words(game, page.page)
    words = button("words", page._replace(page=following or 0))
    if shown.part + 1 < parts:
        words = button("words", shown._replace(part=shown.part + 1))
    elif following is None:
        words.disabled = True
    turnings = enumerate(game.turning_points[:TURNING_BUTTONS], start=1)
    return [
        [*pager_buttons(locale, PAGER, "page", page, last + 1), words],
        [button("turning", page._replace(page=ply), number) for number, ply in turnings if ply <= last],
        [button("record", page), button("take-out", page)],
    ]


async def show_page(interaction: Interaction, match: Match, state: PageState, *, private: bool) -> None:
    """Shows that page, in the message whose button was pressed. `private`: the message is for the person alone."""
    locale = reader_language(interaction) if private else public_language(interaction)
    await take_turn(interaction)
    try:
        game = await thought_service.annotated_game(Caller(interaction).service, match, interaction.user.id)
    except MatchError as error:
        if error.problem is not Problem.NOT_OVER or private:
            raise
        await update_message(interaction, text(locale, "annotated.reopened", id=match.id), view=None, files=())
        return
    if not await run_heavy(interaction, lambda: game.sharers):
        await update_message(interaction, text(locale, "annotated.gone", id=match.id), view=None, files=())
        return
    page = min(state.page, len(game.moves))
    settings = await Caller(interaction).load_settings() if private else DEFAULT_USER_SETTINGS
    texts = page_texts(locale, game, page, with_board=settings.board == "text")
    part, files = min(state.part, len(texts) - 1), list[discord.File]()
    if settings.board != "text":
        view, words = page_view(game, page), page_alt_text(locale, game, page)
        files.append(await draw_picture(interaction, view, settings, f"annotated-{match.id}-{page}", words))
    buttons = make_view(*page_buttons(locale, game, PageState(match.id, page, part), len(texts)))
    await update_message(interaction, texts[part], view=buttons, files=files)


async def turn_page(interaction: Interaction, state: PageState) -> None:
    """Turns the message to another page."""
    match = await find_pressed_match(interaction, state.match)
    private = interaction.message is not None and interaction.message.flags.ephemeral
    await show_page(interaction, match, state, private=private)


for _name in ("page", "back", "on", "words", *(f"turning-{number}" for number in range(1, TURNING_BUTTONS + 1))):
    PAGER.register_handler(_name)(turn_page)


@PAGER.register_handler("animation")
@PAGER.register_handler("print")
async def refuse_other_form(_: Interaction, state: PageState) -> None:
    """Answers buttons below old annotated games, which showed them as an animation, or as a page to print."""
    raise Declined("annotated.other-form", id=state.match)


@PAGER.register_handler("record", first=think_beside)
async def hand_over_record(interaction: Interaction, state: PageState) -> None:
    """Answers with the record of the game, in which the shared words are comments."""
    game, names = await _shared_game(interaction, await find_pressed_match(interaction, state.match))
    exported = await export_match(Caller(interaction).service, game.match)
    record = await run_heavy(interaction, lambda: records.record_text(exported, names, game.record_comments(names)))
    file = make_attachment(record.encode(), f"annotated-{game.match.id}.txt")
    await send_answer(interaction, text(reader_language(interaction), "annotated.record"), files=[file])


@PAGER.register_handler("take-out", first=think_beside)
async def ask_whose_words(interaction: Interaction, state: PageState) -> None:
    """Asks a player or a referee whose words to take out of the annotated game."""
    match, caller = await find_pressed_match(interaction, state.match), Caller(interaction)
    thought_service.require_may_take_out(match, caller.user, referee=may_manage_server(interaction))
    await send_answer(
        interaction,
        text(caller.locale, "annotated.ask", id=state.match),
        view=make_view(await _authors_menu(interaction, match, state)),
    )


async def _authors_menu(interaction: Interaction, match: Match, state: PageState, page: int = 0) -> Menu:
    """Returns the menu of the other people in the annotated game. Raises Declined if there are none."""
    caller, (game, names) = Caller(interaction), await _shared_game(interaction, match)
    options = [make_option(names[user], str(user)) for user in game.sharers if user != caller.user]
    if not options:
        raise Declined("annotated.only-own", id=match.id)
    shown, hint = options_on_page(caller.locale, options, page, text(caller.locale, "annotated.whose"))
    return PAGER.make_menu("whose", state, shown, hint)


@PAGER.register_handler("whose")
async def take_words_out(interaction: Interaction, state: PageState) -> None:
    """Takes the words of the chosen person out of the annotated game, or turns the page of the menu."""
    caller, match = Caller(interaction), await find_pressed_match(interaction, state.match)
    await acknowledge_press(interaction)
    if (page := page_chosen(submitted_value(interaction))) is not None:
        menu = await _authors_menu(interaction, match, state, page)
        question = text(caller.locale, "annotated.ask", id=match.id)
        await update_message(interaction, question, view=make_view(menu))
        return
    author = given_number(interaction)
    referee = may_manage_server(interaction)
    await thought_service.take_out(caller.service, state.match, caller.guild, caller.user, author, referee=referee)
    context_of(interaction).announcements_due.set()
    person = mention_user(author, caller.locale)
    sentence = text(caller.locale, "annotated.taken-out", id=state.match, person=person)
    await update_message(interaction, sentence, view=None)


async def _shared_game(interaction: Interaction, match: Match) -> tuple[AnnotatedGame, dict[int, str]]:
    """Returns the annotated game and the names of the people in it.

    Raises NOT_OVER if the game is not over, and Declined if nothing is shared any more.
    """
    await take_turn(interaction)
    game = await thought_service.annotated_game(Caller(interaction).service, match, interaction.user.id)
    if not await run_heavy(interaction, lambda: game.sharers):
        raise Declined("annotated.gone", id=match.id)
    people = (*records.people_named(match), *game.sharers)
    return game, await record_names(context_of(interaction).names, match.guild, people)


def page_texts(locale: Language, game: AnnotatedGame, page: int, *, with_board: bool = False) -> list[str]:
    """Returns the text of a page: in several messages if there are too many words about its board. `with_board`: for
    people who read the board as text."""
    match = game.match
    name = {"variant": titled_name(locale, match.variant, match.title), "id": match.id}
    if page:
        made = game.moves[page - 1]
        head = text(
            locale,
            "annotated.move",
            **name,
            number=move_numbers(match.started_game)[page - 1][0],
            emblem=seat_emblem(match.variant, made.seat),
            colour=colour_name(locale, match.variant, made.seat),
            move=format_move(made.move, match.variant.board),
        )
        lines = [text(locale, "annotated.turning")] if page in game.turning_points else []
    else:
        head, people = (
            text(locale, "annotated.title", **name),
            join_list(locale, [mention_user(user, locale) for user in game.sharers]),
        )
        foot = text(locale, "annotated.foot" if game.turning_points else "annotated.foot-no-review")
        lines = [text(locale, "annotated.by", people=people), foot]
    for words in game.words_by_ply.get(page, ()):
        lines.append(f"{_speaker(locale, game, words)}\n{quote_words(words.words)}")
    if with_board:
        view, is_over = page_view(game, page), page == len(game.moves)
        lines.insert(0, text_board(locale, view.position, over=is_over, before=view.before, move=view.last_move))
    texts = split_words(head, lines)
    footers = (page_footer(locale, number, len(texts)) for number in range(len(texts)))
    return [f"{words}\n{foot}".rstrip() for words, foot in zip(texts, footers, strict=True)]


def page_view(game: AnnotatedGame, page: int) -> View:
    """Returns the board of a page."""
    if not page:
        return View(game.moves[0].before if game.moves else game.match.started_game.position, to_move=False)
    made = game.moves[page - 1]
    return View(made.after, last_move=made.move, before=made.before, to_move=False)


def page_alt_text(locale: Language, game: AnnotatedGame, page: int) -> str:
    """Returns a description of the board of a page."""
    view, is_over = page_view(game, page), page == len(game.moves)
    moment = moment_phrase(locale, game.match.started_game, page)
    return alt_text(locale, game.match.id, moment, view.position, over=is_over, before=view.before, move=view.last_move)


def page_of_next_words(game: AnnotatedGame, page: int) -> int | None:
    """Returns the next page with words or a turning point; None if there is none."""
    return min((ply for ply in {*game.words_by_ply, *game.turning_points} if ply > page), default=None)


def _speaker(locale: Language, game: AnnotatedGame, words: Words) -> str:
    person = mention_user(words.user, locale)
    if words.is_line:
        return text(locale, "annotated.line", person=person)
    if words.seat is None:
        return text(locale, "annotated.follower", person=person)
    return text(locale, "annotated.player", person=person, emblem=seat_emblem(game.match.variant, words.seat))


def quote_words(words: str) -> str:
    """Returns the words as a quotation, without markup."""
    lines = [line for line in words.splitlines() if line.strip()]
    return "\n".join(f"> {escape_markup(line, MAX_THOUGHT_LENGTH)}" for line in lines)


async def keep_annotated_game(context: BotContext, job: Job) -> Outcome:
    """Posts an annotated game, or updates its message."""
    reader, guild = context.service.store.reader, context.client.get_guild(job.guild)
    match, post = await context.service.load_match(reader, int(job.key)), await post_of(reader, int(job.key))
    game = await annotated_game(context.service, match) if match.phase is Phase.OVER else None
    place, is_posted = post.channel if post else match.place.thread_or_channel, post is not None
    if guild is None or post == MessageRef(0, 0) or not (post or (game and game.sharers)):
        return Done()
    if _waits_for_end_of(known_trouble(guild, place), edits=is_posted):
        return Later(now() + PLACE_LOOK_S, "its place takes no posts")
    try:
        if post is not None:
            await _update_post(context, match, game, post)
        elif game is not None:
            post = await _post_game(context, match, game)
    except UNSENT_ERRORS as error:
        trouble = trouble_at(context.client, match.guild, place, error, match.place.channel)
        log.info("annotated game not shown", match=match.id, obstacle=trouble.obstacle.value, error=str(error))
        if _waits_for_end_of(trouble, edits=is_posted):
            return Later(now() + PLACE_LOOK_S, "its place takes no posts")
        post = None

    async def store(tx: Writer) -> None:
        if post is not None or not await tx.find_jobs("kind = 'annotated' AND key = ?", (job.key,)):  # nor asked again
            await thought_service.set_post(tx, match, post, now())

    return Done(store)


def _waits_for_end_of(trouble: Trouble | None, *, edits: bool) -> bool:
    """Returns True if the message remains due until the trouble is over. `edits`: it was to be edited, not posted.

    An edit needs no permission except to see the channel.
    """
    if trouble is None:
        return False
    return trouble.obstacle.is_temporary or ("view_channel" in trouble.missing if edits else bool(trouble.missing))


async def _post_game(context: BotContext, match: Match, game: AnnotatedGame) -> MessageRef:
    locale = context.server_language(match.guild)
    nonce = f"a{match.table.created:x}:{match.id}"  # so that Discord drops a post repeated after a crash

    async def send() -> discord.Message:
        picture = await _first_picture(context, locale, game)
        texts = page_texts(locale, game, 0)
        buttons, files = page_buttons(locale, game, PageState(match.id), len(texts)), [lambda: picture]
        post = Post(match.place.thread_or_channel, match.guild, texts[0], nonce, buttons=buttons, files=files)
        return await context.send_post(post)

    message = await post_with_retries(send, context.timings)
    return MessageRef(message.channel.id, message.id)


async def _first_picture(context: BotContext, locale: Language, game: AnnotatedGame) -> discord.File:
    png = await context.pictures.draw_board(page_view(game, 0), Priority.PUBLIC)
    return picture_file(png, f"annotated-{game.match.id}-0", page_alt_text(locale, game, 0))


async def _update_post(context: BotContext, match: Match, game: AnnotatedGame | None, post: MessageRef) -> None:
    """Edits the message: it shows the first page again, or says that the words are sealed or no longer shared."""
    locale, shown = context.server_language(match.guild), game if game is not None and game.sharers else None
    words, buttons = text(locale, "annotated.gone" if game else "annotated.reopened", id=match.id), None
    if shown:
        texts = page_texts(locale, shown, 0)
        words = await context.names.spell_names(match.guild, texts[0])
        buttons = make_view(*page_buttons(locale, shown, PageState(match.id), len(texts)))

    async def edit() -> None:
        files = [await _first_picture(context, locale, shown)] if shown else []
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
