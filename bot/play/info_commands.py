"""`/board`, `/games`, `/game history`, `/learn rules` and `/help`: commands to look things up; and finished games, as a
list for each person, and as the board of each game after any move.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import parse_qsl

import discord
from discord import ButtonStyle, app_commands

from bot.core.clock import FOREVER
from bot.core.match import Match, MatchSummary, Phase
from bot.core.results import HistoryGame, PlayerOutcome
from bot.discordkit.components import Button, Family, Menu, outdated_error
from bot.discordkit.errors import Declined
from bot.discordkit.paging import page_of
from bot.discordkit.reply import (
    Controls,
    Interaction,
    Row,
    RowList,
    make_attachment,
    make_view,
    reader_language,
    send_answer,
    server_here,
    think_beside,
)
from bot.discordkit.slash import PATH_KEY, slash_command, user_menu
from bot.play.board import add_match_board, board_caption, draw_picture, show_board, viewer_of
from bot.play.caller import caller_of, check_pace, context_of, defer_board, public_language, take_turn
from bot.play.context import (
    ACTIONS,
    COMPOSER,
    Action,
    ButtonPlace,
    ComposerState,
    Ended,
    Feature,
    PersonShown,
    action_button,
    declared,
    feature_buttons,
    feature_notes,
)
from bot.play.known_servers import record_of
from bot.play.limits import limits_of
from bot.play.options import (
    MEANT_GAME,
    VARIANT_CHOICES,
    MeantGame,
    find_meant_match,
    find_ply,
    load_match_here,
    may_see,
    require_known_variant,
    require_started_game,
    suggest_all_games,
    suggest_turns,
)
from bot.play.seeking import own_seek_button
from bot.play.service.games import find_games, load_match_at
from bot.play.settings import house_rules_button
from bot.play.sheets import (
    ANY_VARIANT,
    OPEN_BUTTONS,
    Sheet,
    SheetContent,
    draws_sheets,
    open_sheet,
    page_buttons,
    sheet_menu,
    show_sheet,
)
from bot.store import game_lists
from bot.store.people import load_people
from bot.texts.i18n import Language, join_list, link_commands, text
from bot.texts.markup import absolute_time, relative_time
from bot.texts.people import mention_user, mention_users
from bot.texts.rulebook import rulebook_pages
from bot.texts.sentences import message_url, numbered_moves, titled_name, turn_names, variant_called, variant_name
from render import THEMES
from rules import VARIANTS

INFO_BUTTONS = Family("rt", Action)

GAMES_ON_PAGE = 7
"""Games in one message: each is a container of four components, of which Discord takes 40."""


def games_title(locale: Language, user: int, viewer: int, *, empty: bool) -> str:
    """What stands above the games of `user` as `viewer` reads them; instead of them if there are none."""
    own = user == viewer
    if empty:
        return text(locale, "games.none-own" if own else "games.none-other", player=mention_user(user, locale))
    return f"**{text(locale, 'games.title-own' if own else 'games.title-other', player=mention_user(user, locale))}**"


def sort_by_deadline(games: Sequence[MatchSummary], user: int, ends: Mapping[int, int]) -> list[MatchSummary]:
    """Returns live games in the order in which `user` should care for them; `ends`: when a match has to be over.

    Games that wait for the user come first. In both groups the earlier of the end and of the running clock decides.
    """

    def urgency(game: MatchSummary) -> tuple[bool, int]:
        clock = game.time_runs_out_at
        return game.to_move != user, min(ends.get(game.id, FOREVER), FOREVER if clock is None else clock)

    return sorted(games, key=urgency)


def live_game_line(
    locale: Language, viewer: int, summary: MatchSummary, match: Match | None, now: int, ends_at: int | None = None
) -> str:
    """A game as `viewer` reads it: who plays, whose turn it is until when, and a link to its latest board.

    `match`: None if this version cannot read it. `ends_at`: when it has to be over; None if that is open.
    """
    link = f"<#{summary.place.thread_or_channel}>"
    if summary.turn:
        link = f"[{text(locale, 'games.board')}]({message_url(summary.guild, summary.turn)})"
    turn = _turn_phrase(locale, viewer, summary, now)
    if match and match.paused_until:
        turn += f" · {text(locale, 'games.paused', until=absolute_time(match.paused_until))}"
    if ends_at is not None:
        turn += f" · {text(locale, 'games.ends', at=relative_time(ends_at))}"
    return text(
        locale,
        "games.line",
        mark="▶️" if summary.to_move == viewer else "•",
        id=summary.id,
        variant=titled_name(locale, summary.variant, summary.title),
        players=", ".join(mention_users(locale, summary.players)),
        name=turn_names(locale, match.started_game)[-1] if match else "?",
        turn=turn,
        where=text(locale, "games.homeless", id=summary.id) if summary.place.is_lost else link,
    )


def _turn_phrase(locale: Language, viewer: int, summary: MatchSummary, now: int) -> str:
    """Whose turn it is, and until when; without a clock, since when."""
    if summary.to_move is None:
        return text(locale, "games.vacant")
    own, at = summary.to_move == viewer, summary.time_runs_out_at
    # The grace is over, too: when only the bank is used up, the tick begins the grace and sets a later time.
    if at is not None and at <= now:
        opponent = viewer in summary.players and viewer not in summary.resigned
        key = "games.overdue-own" if own else "games.overdue-opponent" if opponent else "games.overdue"
        return text(locale, key, player=mention_user(summary.to_move, locale))
    key = "games.clock-own" if own else "games.clock"
    if at is None:
        key, at = "games.turn-own" if own else "games.turn", summary.moved_at
    return text(locale, key, player=mention_user(summary.to_move, locale), at=relative_time(at))


MAX_QUOTED_LENGTH = 1200
"""Characters of a record quoted in a private answer. A longer record is only in the attached file."""

HELP_SHEET, LIVE_SHEET, RULES_SHEET = "help", "live", "rules"
GAMES_SHEET, BOARD_SHEET = "games", "board"


@slash_command("board")
@app_commands.rename(as_text="text")
@app_commands.autocomplete(game=suggest_all_games, turn=suggest_turns)
async def board_command(
    interaction: Interaction,
    game: str | None = None,
    turn: str | None = None,
    public: bool = False,
    as_text: bool | None = None,
) -> None:
    """Shows the board as it is now or after that turn."""
    meant = await find_meant_match(interaction, game, "any")
    require_started_game(meant)
    ply = meant.ply if turn is None else find_ply(meant, turn)
    shown = await load_match_at(caller_of(interaction).service, meant, ply)
    await defer_board(interaction, public=public)
    await show_board(interaction, shown, public=public, as_text=as_text)


CARRIED_TYPES = (discord.AppCommandOptionType.string, discord.AppCommandOptionType.boolean)


@MEANT_GAME.register_handler()
async def use_command_there(interaction: Interaction, meant: MeantGame) -> None:
    """Uses the command for the game of the button, with the options that it had."""
    given = {**dict(parse_qsl(meant.options, keep_blank_values=True)), "game": str(meant.match)}
    for command in declared(context_of(interaction).features, app_commands.Command):
        names = {option.display_name: option.name for option in command.parameters if option.type in CARRIED_TYPES}
        needed = {option.display_name for option in command.parameters if option.required}
        if command.extras[PATH_KEY] == meant.command and needed <= given.keys() <= names.keys():
            check_pace(interaction, *limits_of(f"/{meant.command}"))
            await command.callback(interaction, **{names[name]: value for name, value in given.items()})  # type: ignore[call-arg]
            return
    raise outdated_error()


@slash_command("games")
async def games_command(interaction: Interaction, player: discord.User | None = None) -> None:
    """Lists a person's live games; in direct messages those of all servers. Another person's only where the reader
    may look.
    """
    await open_sheet(interaction, Sheet(LIVE_SHEET, subject=(player or interaction.user).id))


@slash_command("game history")
@app_commands.choices(variant=VARIANT_CHOICES)
@app_commands.autocomplete(game=suggest_all_games)
async def game_history_command(
    interaction: Interaction,
    game: str | None = None,
    player: discord.User | None = None,
    variant: str | None = None,
    opponent: discord.User | None = None,
) -> None:
    """Lists a person's finished games; or shows the record of one game, with its boards and as a file."""
    if game is None and (player or variant or opponent):
        user, other = (player or interaction.user).id, opponent.id if opponent else 0
        await open_sheet(interaction, Sheet(GAMES_SHEET, variant or ANY_VARIANT, user, other))
        return
    await show_record(interaction, Action((await find_meant_match(interaction, game, "any")).id))


@slash_command("learn rules")
@app_commands.choices(variant=VARIANT_CHOICES)
async def learn_rules_command(interaction: Interaction, variant: str) -> None:
    """Opens the rulebook at its first page."""
    await open_sheet(interaction, Sheet(RULES_SHEET, variant))


@slash_command("help")
async def help_command(interaction: Interaction) -> None:
    """Explains how to start and how to move."""
    # Nothing has to be looked up, so the answer comes at once, without "thinking…".
    await show_sheet(interaction, await show_help.draw(interaction, Sheet(HELP_SHEET)))


@INFO_BUTTONS.register_handler("export", first=think_beside)
async def show_record(interaction: Interaction, action: Action) -> None:
    """Answers with the record of the game, also as a file."""
    match = await load_match_here(interaction, action.match)
    await take_turn(interaction)
    locale, started_game = reader_language(interaction), require_started_game(match)
    context = context_of(interaction)
    record = await record_of(context.names, context.service, match)
    title = text(locale, "history.title", variant=variant_name(locale, match.variant), id=match.id)
    if not started_game.moves and not match.undone:
        body = text(locale, "history.empty")
    elif len(record) > MAX_QUOTED_LENGTH:
        body = text(locale, "history.long")
    else:
        body = f"```\n{record.rstrip()}\n```"
    files = [make_attachment(record.encode(), f"game-{match.id}.txt")]
    boards_button = _board_button(text(locale, "past.boards"), match.variant.key, match.id, match.ply)
    await send_answer(interaction, f"{title}\n{body}", files=files, view=make_view(boards_button))


@user_menu("games")
async def show_games_of_person(interaction: Interaction, user: discord.User) -> None:
    """Lists a person's games."""
    await open_sheet(interaction, Sheet(LIVE_SHEET, subject=user.id))


@draws_sheets(LIVE_SHEET)
async def show_live_games(interaction: Interaction, request: Sheet) -> RowList:
    """Returns a page of a person's live games, each with a button to move or to look; below them, in a server, buttons
    to their finished games and to what features show of them.
    """
    caller, user = caller_of(interaction), request.subject
    games = await caller.service.reader.games_of(caller.guild_or_none, user, live=True)
    if user != caller.user:
        games = [game for game in games if may_see(interaction, game)]
    ends = await game_lists.ends_of_matches(
        caller.service.reader, caller.service.database_tables, [game.id for game in games]
    )
    games = sort_by_deadline(games, user, ends)
    locale, at, page = caller.locale, caller.now, page_of(games, request.page, GAMES_ON_PAGE)
    shown = await caller.service.load_readable(caller.service.reader, [game.id for game in page.items])
    matches = {match.id: match for match in shown}
    rows = [
        Row(
            live_game_line(locale, caller.user, game, matches.get(game.id), at, ends.get(game.id)),
            _game_button(locale, caller.user, game),
            _accent(game),
        )
        for game in page.items
    ]
    buttons = page_buttons(locale, request._replace(page=page.number), page.pages)
    if caller.guild_or_none is not None:
        if user == caller.user:
            buttons.append(await own_seek_button(caller))
        buttons += (await feature_notes(caller.context, locale, PersonShown(caller.guild, user))).buttons
        finished = Sheet(GAMES_SHEET, ANY_VARIANT, user)
        buttons.append(OPEN_BUTTONS.make_button("", finished, text(locale, "button.finished")))
    title = games_title(locale, user, caller.user, empty=not games)
    return RowList(title, rows, page.footer(locale), buttons)


def _game_button(locale: Language, viewer: int, game: MatchSummary) -> Button:
    """Returns the button of a game in the list: to move if it is the viewer's turn, otherwise to look at the boards."""
    if game.to_move == viewer:
        label = text(locale, "button.compose")
        return COMPOSER.make_button("open", ComposerState(game.id, 0), label, ButtonStyle.primary)
    return _board_button(text(locale, "games.look"), game.variant.key, game.id, game.ply)


def _accent(game: MatchSummary) -> int | None:
    """Returns the colour of the side to move as Discord takes it."""
    if game.to_move not in game.players:
        return None
    red, green, blue = THEMES["default"].liveries[game.variant.armies[game.players.index(game.to_move)].colour].body
    return red << 16 | green << 8 | blue


@draws_sheets(HELP_SHEET)
async def show_help(interaction: Interaction, _: Sheet) -> RowList:
    """Returns the help, with a row for each game and a button to its rulebook."""
    locale = reader_language(interaction)
    names = {key: variant_name(locale, variant) for key, variant in VARIANTS.items()}
    label = text(locale, "button.rules")
    books = [
        Row(f"**{name}**: {text(locale, f'about.{key}')}", ACTIONS.make_button("rules", Action(variant=key), label))
        for key, name in names.items()
    ]
    boards = public_language(interaction) if server_here(interaction) else locale
    move, more = text(boards, "button.compose"), text(boards, "button.more")
    content = text(locale, "help.text", games=join_list(locale, names.values()), move=move, more=more)
    return RowList(content, books, "", house_rules_button(interaction))


@INFO_BUTTONS.register_handler("rules")
async def open_rules(interaction: Interaction, action: Action) -> None:
    """Opens a rulebook in a new private message, from a button below a turn."""
    await open_sheet(interaction, Sheet(RULES_SHEET, action.variant))


@draws_sheets(RULES_SHEET)
async def show_rulebook_page(interaction: Interaction, request: Sheet) -> SheetContent:
    """Returns a page of a rulebook with its picture."""
    locale, variant = reader_language(interaction), require_known_variant(request.variant)
    page = page_of(rulebook_pages(locale, variant), request.page, 1)
    ((words, illustration),), number, pages, _ = page
    files = []
    if illustration:
        settings, name = await caller_of(interaction).load_settings(), f"{variant}-{number + 1}"
        files = [await draw_picture(interaction, settings, illustration.view, name, illustration.words)]
    buttons = page_buttons(locale, request._replace(page=number), pages)
    buttons += house_rules_button(interaction) if number == 0 else []
    return SheetContent(f"{link_commands(words)}\n{page.footer(locale)}", buttons, files)


# Finished games


LAST_PLY = 999_999
"""Stands for the last move: a page beyond it shows the last board."""

MAX_MENU_MOVES = 25
"""Options in one menu."""


@draws_sheets(GAMES_SHEET)
async def show_games(interaction: Interaction, request: Sheet) -> RowList:
    """Returns a page of a person's finished games, filtered by variant or opponent if wanted, each with a button to
    its boards.

    `request.other` is the opponent, 0 for anybody.
    """
    await require_public_profiles(interaction, *(user for user in (request.subject, request.other) if user))
    caller, variant = caller_of(interaction), None if request.variant == ANY_VARIANT else request.variant
    page = await find_games(caller.service, caller.guild, request.subject, variant, request.other or None, request.page)
    locale = caller.locale
    visible = await visible_games(interaction, page.items)
    footer = [page.footer(locale)]
    if not page.items:
        footer.insert(0, text(locale, "past.empty"))
    elif len(visible) < len(page.items):
        footer.insert(0, text(locale, "past.private", count=len(page.items) - len(visible)))
    rows = [
        Row(
            played_line(locale, request.subject, played),
            _board_button(text(locale, "games.look"), played.variant, played.match),
        )
        for played in visible
    ]
    foot = "\n".join(filter(None, footer))
    buttons = page_buttons(locale, request._replace(page=page.number), page.pages)
    return RowList(_list_title(locale, request), rows, foot, buttons)


def _board_button(label: str, variant: str, match_id: int, ply: int = LAST_PLY) -> Button:
    """Returns the button that opens a game's boards after that many moves."""
    return OPEN_BUTTONS.make_button("", Sheet(BOARD_SHEET, variant, match_id, page=ply), label)


@draws_sheets(BOARD_SHEET)
async def show_game_board(interaction: Interaction, request: Sheet) -> SheetContent:
    """Returns the board of a game after `request.page` moves, with buttons and a menu to the other moves.

    `request.subject` is the number of the game. A page beyond the last move shows the last board.
    """
    locale = reader_language(interaction)
    last_match = await find_meant_match(interaction, str(request.subject), "any")
    require_started_game(last_match)
    match = await load_match_at(caller_of(interaction).service, last_match, min(request.page, last_match.ply))
    viewer, caption = await viewer_of(interaction), board_caption(locale, match)
    content, files = await add_match_board(interaction, viewer, caption, match)
    if not last_match.ply:
        return SheetContent(content, (), files)
    context, results = context_of(interaction), list[Button]()
    if last_match.phase is Phase.OVER:
        results += (await feature_notes(context, locale, Ended(last_match))).buttons
    controls = board_controls(context.features, locale, match, last_match)
    return SheetContent(content, [*controls, *results, _moves_menu(interaction, request, last_match)], files)


def board_controls(features: Sequence[Feature], locale: Language, match: Match, last_match: Match) -> Controls:
    """Returns the buttons below the board of a game after some moves, given also the game as it is now."""
    shown = Sheet(BOARD_SHEET, match.variant.key, match.id, page=match.ply)
    is_over = last_match.phase is Phase.OVER
    return [
        page_buttons(locale, shown, last_match.ply + 1),
        action_button(locale, "replay", match=match.id),
        *feature_buttons(features, locale, match, ButtonPlace.BOARD),
        *(feature_buttons(features, locale, last_match, ButtonPlace.END) if is_over else ()),
    ]


async def require_public_profiles(interaction: Interaction, *users: int) -> None:
    """Raises Declined if one of those users hides their profile. They themselves may always see it."""
    if interaction.user.id in users:
        return
    for user, person in (await load_people(context_of(interaction).service.reader, users)).items():
        if not person.settings.public:
            raise Declined("profile.hidden", player=mention_user(user, reader_language(interaction)))


async def visible_games(interaction: Interaction, finished: Sequence[HistoryGame]) -> list[HistoryGame]:
    """Returns those of the games that the reader may see: their own, and those whose place they can see."""
    caller = caller_of(interaction)
    numbers = [played.match for played in finished]
    games = await game_lists.summaries_in_phase(caller.service.reader, caller.guild, numbers, "live", "over")
    visible = {game.id for game in games if may_see(interaction, game)}
    return [played for played in finished if played.match in visible]


def played_line(locale: Language, user: int, played: HistoryGame) -> str:
    """Returns a line about a finished game from that user's point of view."""
    opponents = [mention_user(other, locale) for other in played.players if other != user]
    return text(
        locale,
        "past.line",
        number=f"#{played.match}",
        at=f"<t:{played.ended_at}:d>",
        variant=variant_called(locale, played.variant),
        ladder=" 🪜" if played.ladder else "",
        others=", ".join(opponents),
        fate=text(locale, f"past.{played.outcome.value}"),
        points="" if played.points is None or played.outcome is PlayerOutcome.NONE else f" ({played.points:+})",
    )


def _list_title(locale: Language, wanted: Sheet) -> str:
    title = text(locale, "past.title", player=mention_user(wanted.subject, locale))
    if wanted.variant != ANY_VARIANT:
        title += f" · {text(locale, f'variant.{wanted.variant}')}"
    if wanted.other:
        title += f" · {text(locale, 'past.with', other=mention_user(wanted.other, locale))}"
    return title


def _moves_menu(interaction: Interaction, request: Sheet, match: Match) -> Menu:
    """Returns a menu of the game's moves; evenly spread ones if there are more than fit."""
    locale = reader_language(interaction)
    moves = numbered_moves(locale, match.started_game)
    stride = -(-len(moves) // MAX_MENU_MOVES)
    plies = range(len(moves), 0, -stride)
    choices = [(request._replace(page=ply), moves[ply - 1]) for ply in reversed(plies)]
    return sheet_menu(interaction, choices, text(locale, "past.jump"))
