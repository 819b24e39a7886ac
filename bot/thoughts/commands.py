"""`/game thoughts` and **Say why**: a person's own thoughts, which no handler shows to others or changes; and the
annotated game: one message with a board on each page, whose pages anybody who sees it can turn.

The annotated game is posted when somebody has shared their words, and kept up to date. Page 0 is the start, and page N
the board after N moves.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, NamedTuple

import discord
from discord import ButtonStyle, SelectOption, app_commands
from discord.ui import Item

from bot.core.match import Match, MessageRef, Phase
from bot.core.problems import Problem
from bot.discordkit.components import (
    Button,
    CountField,
    Family,
    FieldFormat,
    Menu,
    NonceField,
    given_number,
    make_option,
    make_words_field,
    menu_nonce,
    submitted_value,
)
from bot.discordkit.errors import Declined
from bot.discordkit.paging import options_on_page, page_chosen, page_footer, pager_buttons, split_words
from bot.discordkit.permissions import ARCHIVED_CODE, known_trouble
from bot.discordkit.reply import (
    RESOLVED,
    Interaction,
    acknowledge_press,
    fit_lines,
    is_in_private,
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
from bot.discordkit.slash import slash_command
from bot.play.announcing.outbox import send_with_retries
from bot.play.board import add_board, viewer_of
from bot.play.caller import caller_of, context_of, run_heavy, run_heavy_in_steps, take_turn
from bot.play.context import BotContext, ButtonPlace, Done, Ended, Later, MakeFile, MatchField, Notes, Outcome, Post
from bot.play.known_servers import record_names
from bot.play.options import find_meant_match, load_match_here, suggest_all_games
from bot.store import Job
from bot.texts import records
from bot.texts.i18n import Language, join_list, text
from bot.texts.markup import escape_markup, one_line
from bot.texts.people import mention_user
from bot.texts.sentences import alt_text, moment_phrase, numbered_moves, seat_emblem, titled_name, turn_names
from bot.thoughts import service as thought_service
from bot.thoughts.service import DELETED, MAX_THOUGHT_LENGTH, AnnotatedGame, OwnWords, Words, annotated_game, post_of
from render import View


class ThoughtState(NamedTuple):
    """The match, and the version of the board on which the move in question is made."""

    match: MatchField
    board: CountField = 0
    fresh: NonceField = ""
    """Used by the menu only."""


THOUGHTS_FAMILY = Family("rt-thought", ThoughtState)


def thought_buttons(locale: Language, match: Match, place: ButtonPlace) -> Sequence[Button]:
    """Returns **Say why** beside a move in the making; **Thoughts** elsewhere."""
    if place is ButtonPlace.COMPOSER:
        return (_button(locale, "say", match, match.board_version),)
    return (_button(locale, "open", match),) if place is ButtonPlace.MORE else ()


def _button(
    locale: Language, name: str, match: Match, board: int = 0, style: ButtonStyle = ButtonStyle.secondary
) -> Button:
    label = text(locale, f"button.thoughts-{name}")
    return THOUGHTS_FAMILY.make_button(name, ThoughtState(match.id, board), label, style)


async def add_thought_notes(context: BotContext, locale: Language, about: object, notes: Notes) -> Notes:
    """Adds **Thoughts** to a finished match about which somebody has written. With its result, says that the authors
    now decide about their thoughts, and does not name them."""
    reader = context.service.reader
    if not isinstance(about, Ended) or not await thought_service.has_thoughts(reader, about.match.id):
        return notes
    lines = [*notes.lines, text(locale, "thoughts.at-the-end")] if about.ratings else notes.lines
    return notes._replace(lines=lines, buttons=[*notes.buttons, _button(locale, "open", about.match)])


@slash_command("game thoughts")
@app_commands.autocomplete(game=suggest_all_games)
async def game_thoughts_command(interaction: Interaction, game: str | None = None) -> None:
    """Shows the person's thoughts on a game. They can add to them during the game, and share them afterwards."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    await _show_panel(interaction, await find_meant_match(interaction, game, "any"), new=True)


async def show_thoughts(interaction: Interaction, state: ThoughtState, *, new: bool) -> None:
    """Shows the person's thoughts on the game."""
    await _show_panel(interaction, await load_match_here(interaction, state.match), new=new)


THOUGHTS_FAMILY.register_handler("open", first=think_beside)(partial(show_thoughts, new=True))
THOUGHTS_FAMILY.register_handler("look")(partial(show_thoughts, new=False))


@THOUGHTS_FAMILY.register_handler("which")
async def choose_move(interaction: Interaction, state: ThoughtState) -> None:
    """Opens the form for the chosen move, or turns the menu."""
    page = page_chosen(submitted_value(interaction))
    if page is None:
        await open_thought_form("noted", interaction, ThoughtState(state.match, given_number(interaction)))
    else:
        await _show_panel(interaction, await load_match_here(interaction, state.match), page)


async def save_thought(interaction: Interaction, state: ThoughtState, *, in_panel: bool) -> None:
    """Saves the words of a form, or deletes the thought if there are none. Shows it in the panel, or says so and leaves
    the board as it is."""
    words, caller = submitted_value(interaction), caller_of(interaction)
    match = await thought_service.set_thought(caller.service, caller.actor, state.match, state.board, words)
    if in_panel:
        await _show_panel(interaction, match)
    else:
        key = "thoughts.saved" if words.strip() else "thoughts.emptied"
        await send_answer(interaction, text(caller.locale, key, id=match.id))


THOUGHTS_FAMILY.register_handler("noted", first=acknowledge_press)(partial(save_thought, in_panel=True))
THOUGHTS_FAMILY.register_handler("said", first=acknowledge_press)(partial(save_thought, in_panel=False))


async def decide_on_sharing(interaction: Interaction, state: ThoughtState, *, shared: bool) -> None:
    """Shares the person's thoughts; or makes them private, even if they were shared."""
    match, caller = await load_match_here(interaction, state.match), caller_of(interaction)
    match = await thought_service.decide_sharing(caller.service, caller.actor, match.id, shared=shared)
    context_of(interaction).announcements_due.set()
    await _show_panel(interaction, match)


for _name in ("share", "share-lines"):  # the second of earlier versions
    THOUGHTS_FAMILY.register_handler(_name, first=acknowledge_press)(partial(decide_on_sharing, shared=True))
THOUGHTS_FAMILY.register_handler("keep", first=acknowledge_press)(partial(decide_on_sharing, shared=False))


@THOUGHTS_FAMILY.register_handler("delete")
async def ask_to_delete(interaction: Interaction, state: ThoughtState) -> None:
    """Asks whether to delete everything that the person has written about the game."""
    match, locale = await load_match_here(interaction, state.match), reader_language(interaction)
    buttons = make_view(_button(locale, "delete-sure", match, style=ButtonStyle.danger), _button(locale, "look", match))
    await update_message(interaction, text(locale, "thoughts.delete", id=match.id), view=buttons)


@THOUGHTS_FAMILY.register_handler("delete-sure", first=acknowledge_press)
async def delete_thoughts(interaction: Interaction, state: ThoughtState) -> None:
    """Deletes everything that the person has written about the game."""
    match, caller = await load_match_here(interaction, state.match), caller_of(interaction)
    await thought_service.delete_words(caller.service, caller.actor, match.id)
    context_of(interaction).announcements_due.set()
    await _show_panel(interaction, match)


@THOUGHTS_FAMILY.register_handler("read", first=acknowledge_press)
async def read_annotated_game(interaction: Interaction, state: ThoughtState) -> None:
    """Shows the annotated game in place of the panel."""
    match = await load_match_here(interaction, state.match)
    await show_page(interaction, match, PageState(match.id), private=True)


async def open_thought_form(name: str, interaction: Interaction, state: ThoughtState) -> None:
    """Opens the form of that name for the move made on that board, by default the one the person is about to make."""
    match, caller = await load_match_here(interaction, state.match), caller_of(interaction)
    own = await thought_service.own_words(caller.service, match, caller.user)
    await run_heavy(interaction, thought_service.require_writable, match, caller.user, state.board)
    match.refuse_if(not own.may_write, Problem.THOUGHTS_OF_OTHERS)
    move = (await run_heavy(interaction, name_moves, caller.locale, match))[state.board]
    field = make_words_field(own.thoughts.get(state.board, ""), MAX_THOUGHT_LENGTH)
    title, label = text(caller.locale, "thoughts.form", id=match.id), text(caller.locale, "thoughts.label", move=move)
    form = THOUGHTS_FAMILY.make_form(name, state, title, label, text(caller.locale, "thoughts.hint"), field)
    await interaction.response.send_modal(form)


THOUGHTS_FAMILY.register_handler("say")(partial(open_thought_form, "said"))


async def _show_panel(interaction: Interaction, match: Match, page: int = 0, *, new: bool = False) -> None:
    """Shows the person's thoughts, in place of the panel whose component was used or in a new answer. With a file if
    they are too long for a message; `page` is that of the menu of moves."""
    caller = caller_of(interaction)
    match.refuse_if(match.game is None, Problem.NOT_STARTED)
    own = await thought_service.own_words(caller.service, match, caller.user)
    words = await run_heavy_in_steps(interaction, own_text(caller.locale, match, own))
    content = fit_lines(words.split("\n"), text(caller.locale, "thoughts.in-file"))
    files = [make_attachment(words.encode(), f"thoughts-{match.id}.txt")] if content != words else []
    if match.phase is Phase.OVER:
        game = await annotated_game(caller.service, match)
        anything = bool(await run_heavy(interaction, lambda: game.sharers))
        items: list[Item[Any]] = [*_decision_buttons(caller.locale, match, own, anything_shared=anything)]
    else:
        items = await run_heavy(interaction, _move_menu, interaction, match, own, page) if own.may_write else []
        if own.thoughts:
            items.append(_button(caller.locale, "delete", match))
    view = make_view(*items) if items else None
    if new:
        await send_answer(interaction, content, view=view, files=files)
    else:
        await update_message(interaction, content, view=view, files=files)


def _decision_buttons(locale: Language, match: Match, own: OwnWords, *, anything_shared: bool) -> list[Button]:
    names = list[str]()
    if own.thoughts:
        if own.shared:
            names.append("keep")
        elif own.may_write and not own.taken_out:
            names.append("share")
        names.append("delete")
    if anything_shared:
        names.append("read")
    styles = {"share": ButtonStyle.primary, "read": ButtonStyle.primary}
    return [_button(locale, name, match, style=styles.get(name, ButtonStyle.secondary)) for name in names]


def _move_menu(interaction: Interaction, match: Match, own: OwnWords, page: int) -> list[Item[Any]]:
    """Returns the menu of the moves that the person may write about, the latest first; empty if there are none."""
    locale, options = reader_language(interaction), list[SelectOption]()
    names = name_moves(locale, match)
    for board in thought_service.boards_to_comment(match, interaction.user.id)[::-1]:
        words = one_line(own.thoughts[board][:101], 100) if board in own.thoughts else ""  # an option shows no more
        options.append(make_option(names[board], str(board), words))
    if not options:
        return []
    shown, hint = options_on_page(locale, options, page, text(locale, "thoughts.menu"))
    return [THOUGHTS_FAMILY.make_menu("which", ThoughtState(match.id, 0, menu_nonce(interaction)), shown, hint)]


def name_moves(locale: Language, match: Match) -> Mapping[int, str]:
    """Returns the moves with their numbers, by the versions of their boards; a phrase for the next move."""
    game, moves = match.started_game, thought_service.list_moves(match)
    names = {made.board: name for made, name in zip(moves, numbered_moves(locale, game), strict=True)}
    if match.is_live:
        names[match.board_version] = text(locale, "thoughts.next-move", turn=turn_names(locale, game)[-1])
    return names


def own_text(locale: Language, match: Match, own: OwnWords) -> Generator[None, None, str]:
    """Returns everything that a person has written about a match, and who can read it. May exceed a message."""
    is_over, names = match.phase is Phase.OVER, name_moves(locale, match)
    lines = [text(locale, "thoughts.title", variant=titled_name(locale, match.variant, match.title), id=match.id)]
    if own.taken_out:
        lines.append(text(locale, "thoughts.taken-out"))
    elif not own.may_write:
        lines.append(text(locale, "problem.thoughts-of-others", number=match.id))
    elif not is_over:
        lines.append(text(locale, "thoughts.sealed"))
    elif own.thoughts:
        lines.append(text(locale, "thoughts.is-shared" if own.shared else "thoughts.ask"))
    for board, words in own.thoughts.items():
        yield
        lines += [f"**{names.get(board) or text(locale, 'thoughts.taken-back')}**", quote_words(words)]
    if not own.thoughts:
        lines.append(text(locale, "thoughts.none"))
    return "\n".join(lines)


# The annotated game


PLACE_LOOK_S = 10
"""Seconds between two looks whether the bot may post a game where it was played."""


class PageState(NamedTuple):
    """The page to which a button leads."""

    match: MatchField
    page: CountField = 0
    """The number of moves on the board."""
    part: Annotated[int, FieldFormat(r"\d{1,3}", int, later=True)] = 0
    """Which of several messages with the words about that board, counted from 0."""


PAGER = Family("rt-annotated", PageState)


def annotated_game_buttons(locale: Language, game: AnnotatedGame, shown: PageState, parts: int) -> list[list[Button]]:
    """Returns the rows of buttons below that one of the parts of a page."""

    def button(name: str, to: PageState) -> Button:
        return PAGER.make_button(name, to, text(locale, f"button.annotated-{name}"))

    page, last = shown._replace(part=0), len(game.moves)
    following = min((ply for ply in game.words_by_ply if ply > page.page), default=None)
    words = button("words", page._replace(page=following or 0))
    if shown.part + 1 < parts:
        words = button("words", shown._replace(part=shown.part + 1))
    elif following is None:
        words.disabled = True
    return [
        [*pager_buttons(locale, PAGER, "page", page, last + 1), words],
        [button("record", page), button("take-out", page)],
    ]


async def show_page(interaction: Interaction, match: Match, state: PageState, *, private: bool) -> None:
    """Shows that page, in the message whose button was pressed. `private`: the message is for the person alone."""
    locale, _ = viewer = await viewer_of(interaction, public=not private)
    await take_turn(interaction)
    game = await annotated_game(caller_of(interaction).service, match) if match.phase is Phase.OVER else None
    if game is None or not await run_heavy(interaction, lambda: game.sharers):
        gone = text(locale, "annotated.gone" if game else "annotated.reopened", id=match.id)
        await update_message(interaction, gone, view=None, files=())
        return
    page = min(state.page, len(game.moves))
    view, alt = page_view(game, page), page_alt_text(locale, game, page)
    board, files = await add_board(interaction, viewer, "", view, f"annotated-{match.id}-{page}", alt)
    texts = page_texts(locale, game, page, board)
    part = min(state.part, len(texts) - 1)
    buttons = make_view(*annotated_game_buttons(locale, game, PageState(match.id, page, part), len(texts)))
    await update_message(interaction, texts[part], view=buttons, files=files)


async def turn_page(interaction: Interaction, state: PageState) -> None:
    """Turns the message to another page."""
    match = await load_match_here(interaction, state.match)
    await show_page(interaction, match, state, private=is_in_private(interaction))


OLD_PRESSES = ("back", "on", "turning-1", "turning-2", "turning-3")
"""Buttons below annotated games of earlier versions, which lead to a page."""

for _name in ("page", "words", *OLD_PRESSES):
    PAGER.register_handler(_name)(turn_page)


@PAGER.register_handler("record", first=think_beside)
async def hand_over_record(interaction: Interaction, state: PageState) -> None:
    """Answers with the record of the game, in which the shared words are comments."""
    game, names = await _shared_game(interaction, await load_match_here(interaction, state.match))
    record = await run_heavy(interaction, lambda: records.record_text(game.match, names, game.record_comments(names)))
    file = make_attachment(record.encode(), f"annotated-{game.match.id}.txt")
    await send_answer(interaction, text(reader_language(interaction), "annotated.record"), files=[file])


@PAGER.register_handler("take-out", first=think_beside)
async def ask_whose_words(interaction: Interaction, state: PageState) -> None:
    """Asks a player or a referee whose words to take out of the annotated game."""
    match, caller = await load_match_here(interaction, state.match), caller_of(interaction)
    thought_service.require_may_take_out(match, caller.user, referee=may_manage_server(interaction))
    menu = await _authors_menu(interaction, match, state)
    await send_answer(interaction, text(caller.locale, "annotated.ask", id=match.id), view=make_view(menu))


async def _authors_menu(interaction: Interaction, match: Match, state: PageState, page: int = 0) -> Menu:
    """Returns the menu of the other people in the annotated game. Raises Declined if there are none."""
    caller, (game, names) = caller_of(interaction), await _shared_game(interaction, match)
    options = [make_option(names[user], str(user)) for user in game.sharers if user != caller.user]
    if not options:
        raise Declined("annotated.only-own", id=match.id)
    shown, hint = options_on_page(caller.locale, options, page, text(caller.locale, "annotated.whose"))
    return PAGER.make_menu("whose", state, shown, hint)


@PAGER.register_handler("whose", first=acknowledge_press)
async def take_words_out(interaction: Interaction, state: PageState) -> None:
    """Takes the words of the chosen person out of the annotated game, or turns the page of the menu."""
    caller, page = caller_of(interaction), page_chosen(submitted_value(interaction))
    if page is not None:
        menu = await _authors_menu(interaction, await load_match_here(interaction, state.match), state, page)
        question = text(caller.locale, "annotated.ask", id=state.match)
        await update_message(interaction, question, view=make_view(menu))
        return
    author, referee = given_number(interaction), may_manage_server(interaction)
    await thought_service.take_out(caller.service, caller.actor, state.match, author, referee=referee)
    context_of(interaction).announcements_due.set()
    person = mention_user(author, caller.locale)
    sentence = text(caller.locale, "annotated.taken-out", id=state.match, person=person)
    await update_message(interaction, sentence, view=None)


async def _shared_game(interaction: Interaction, match: Match) -> tuple[AnnotatedGame, dict[int, str]]:
    """Returns the annotated game and the names of the people in it.

    Raises NOT_OVER if the game is not over, and Declined if nothing is shared any more.
    """
    await take_turn(interaction)
    game = await annotated_game(caller_of(interaction).service, match)
    if not await run_heavy(interaction, lambda: game.sharers):
        raise Declined("annotated.gone", id=match.id)
    people = (*records.people_named(match), *game.sharers)
    return game, await record_names(context_of(interaction).names, match.guild, people)


def page_texts(locale: Language, game: AnnotatedGame, page: int, board: str = "") -> list[str]:
    """Returns the text of a page: in several messages if there are too many words about its board. `board` is the board
    as text, for people who read it so."""
    match = game.match
    name = {"variant": titled_name(locale, match.variant, match.title), "id": match.id}
    if page:
        head = text(locale, "annotated.move", **name, move=numbered_moves(locale, match.started_game)[page - 1])
        lines = list[str]()
    else:
        head = text(locale, "annotated.title", **name)
        people = join_list(locale, [mention_user(user, locale) for user in game.sharers])
        lines = [text(locale, "annotated.by", people=people)]
    for words in game.words_by_ply.get(page, ()):
        lines.append(f"{_speaker(locale, game, words)}\n{quote_words(words.words)}")
    if board:
        lines.insert(0, board)
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
    view, moment = page_view(game, page), moment_phrase(locale, game.match.started_game, page)
    over = game.match.outcome and game.match.outcome.winners if page == len(game.moves) else None
    return alt_text(locale, game.match.id, moment, view.position, over=over, before=view.before, move=view.last_move)


def _speaker(locale: Language, game: AnnotatedGame, words: Words) -> str:
    person = mention_user(words.user, locale)
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
    if guild is None or post == DELETED or not (post or (game and game.sharers)):
        return Done()
    trouble = known_trouble(guild, post.channel if post else match.place.thread_or_channel)
    if trouble and ("view_channel" in trouble.missing if post else trouble.missing):  # an edit needs no other one
        return Later(now() + PLACE_LOOK_S, "its place takes no posts")
    try:
        if post is not None:
            await _update_post(context, match, game, post)
        elif game is not None:
            post = await _post_game(context, match, game)
    except discord.NotFound:
        post = DELETED
    return Done(lambda tx: thought_service.set_post(tx, match, post or DELETED, now()))


async def _post_game(context: BotContext, match: Match, game: AnnotatedGame) -> MessageRef:
    locale = context.server_language(match.guild)
    nonce = f"a{match.table.created:x}:{match.id}"  # so that Discord drops a post repeated after a crash
    texts, files = page_texts(locale, game, 0), [await _first_picture(context, locale, game)]
    buttons = annotated_game_buttons(locale, game, PageState(match.id), len(texts))
    post = Post(match.place.thread_or_channel, match.guild, texts[0], nonce, buttons=buttons, files=files)
    message = await send_with_retries(context, post)
    return MessageRef(message.channel.id, message.id)


async def _first_picture(context: BotContext, locale: Language, game: AnnotatedGame) -> MakeFile:
    png = await context.pictures.draw_board(page_view(game, 0), public=True)
    return partial(picture_file, png, f"annotated-{game.match.id}-0", page_alt_text(locale, game, 0))


async def _update_post(context: BotContext, match: Match, game: AnnotatedGame | None, post: MessageRef) -> None:
    """Edits the message: it shows the first page again, or says that the words are sealed or no longer shared."""
    locale, shown = context.server_language(match.guild), game if game is not None and game.sharers else None
    words, buttons, files = text(locale, "annotated.gone" if game else "annotated.reopened", id=match.id), None, []
    if shown:
        texts, files = page_texts(locale, shown, 0), [await _first_picture(context, locale, shown)]
        words = await context.names.spell_names(match.guild, texts[0])
        buttons = make_view(*annotated_game_buttons(locale, shown, PageState(match.id), len(texts)))

    async def edit() -> None:
        attachments = [make_file() for make_file in files]
        message = context.partial_message(post)
        await message.edit(content=words, view=buttons, attachments=attachments, allowed_mentions=RESOLVED)

    try:
        await edit()
    except discord.HTTPException as error:
        if error.code != ARCHIVED_CODE:
            raise
        thread = await context.client.fetch_channel(post.channel)
        assert isinstance(thread, discord.Thread)
        await thread.edit(archived=False)
        await edit()
