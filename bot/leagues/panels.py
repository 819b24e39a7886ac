"""`/server league`: the panels in which managers open leagues and change them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, NamedTuple

import discord
from discord import ButtonStyle, ChannelType, app_commands
from discord.ext import commands
from discord.ui import Item, Modal, TextInput, View

from bot.discordkit.components import (
    Button,
    CountField,
    Family,
    FieldFormat,
    IdField,
    NonceField,
    UserField,
    all_given,
    chosen_numbers,
    given_number,
    make_option,
    menu_nonce,
    outdated_error,
    submitted_value,
)
from bot.discordkit.errors import Declined
from bot.discordkit.paging import OPTIONS_PER_PAGE, options_on_page, page_chosen
from bot.discordkit.permissions import Obstacle, Trouble, missing_to_bot, trouble_sentence
from bot.discordkit.reply import (
    Interaction,
    Layout,
    Row,
    RowList,
    lay_out_rows,
    make_view,
    may_manage_server,
    now,
    reader_language,
    send_answer,
    update_message,
)
from bot.discordkit.slash import slash_command
from bot.leagues import service as leagues
from bot.leagues import words
from bot.leagues.commands import channel_here, suggest_leagues
from bot.leagues.groups import Divisions
from bot.leagues.league import QUESTIONS, League, LeagueError, LeagueProblem, LeagueState, LeagueTerms, new_league
from bot.leagues.posts import LEAGUE_BUTTONS, LeagueRef, gives_power, league_buttons, may_mention
from bot.play.announcing.outbox import best_effort
from bot.play.caller import Caller, caller_of, context_of
from bot.play.context import BotContext
from bot.play.options import require_manager, require_public_channel, server_and_channel
from bot.texts.i18n import Language, text
from bot.texts.markup import escape_markup, one_line
from bot.texts.people import mention_user

MAX_LEAGUE_NAME_LENGTH = 40


class ManageState(NamedTuple):
    """The league that a manager changes."""

    league_id: IdField
    begins_at: IdField = 0
    """When its season was to begin: for **One more week** only."""
    fresh: NonceField = ""
    """Used by menus only."""


LEAGUE_MANAGE = Family("rt-league-honours", ManageState)


class PersonState(NamedTuple):
    """A person of a league whom a manager has chosen; in the menu of people the user is 0."""

    league_id: IdField
    user: UserField = 0
    division: CountField = 0
    """Where a button moves them."""
    fresh: NonceField = ""
    """Used by menus only."""


LEAGUE_PEOPLE = Family("rt-league-people", PersonState)


def league_panel(locale: Language, server: discord.Guild, league: League, nonce: str) -> tuple[str, View]:
    """Returns the words and the controls of the panel of a league; `nonce` is for its menus."""
    # None, too, if somebody has deleted the role.
    role, called = server.get_role(league.role or 0), server.get_role(league.called_role or 0)
    is_lost = not league.channel and league.state is not LeagueState.CLOSED
    silent = LeagueProblem.ROLE_SILENT
    may_begin = league.state is LeagueState.SIGN_UP and not is_lost  # without a channel no season begins
    lines = [
        words.text_about(locale, league, "league.manage"),
        *([words.beginning_text(locale, league, now())] if may_begin else []),
        words.terms_text(locale, league.terms),
        *([text(locale, "league.channel-gone")] if is_lost else []),
        *_role_lines(locale, "role", role, _role_problem(server, role) if role else None),
        *_role_lines(locale, "called-role", called, silent if called and not may_mention(called) else None),
    ]
    if not league.takes_sign_ups:
        lines.append(words.text_about(locale, league, "league.closes" if league.is_on else "league.closed"))
    state, items = ManageState(league.id, fresh=nonce), list[Item[Any]]()
    if is_lost:
        kinds = ChannelType.text, ChannelType.news
        hint = text(locale, "league.channel-menu")
        items.append(LEAGUE_MANAGE.make_channel_menu("channel", state, (), 1, kinds, hint))
    for name, present in (("role", role), ("called-role", called)):
        hint = text(locale, f"league.{name}-menu")
        items.append(LEAGUE_MANAGE.make_role_menu(name, state, present.id if present else None, hint))
    if may_begin and not league.is_beginning(now()):
        shown, label = ManageState(league.id, league.begins_at), text(locale, "button.league-week-more")
        items += [*league_buttons(locale, league, "start"), LEAGUE_MANAGE.make_button("week-more", shown, label)]
    items += league_buttons(locale, league, "people", "rename", "another", "keep" if league.closing else "close")
    return "\n".join(lines), make_view(*items)


def _role_lines(locale: Language, name: str, role: discord.Role | None, problem: LeagueProblem | None) -> Iterator[str]:
    key = f"league.{name}" if role else f"league.{name}-none"
    yield text(locale, key, role=escape_markup(role.name) if role else "")
    if problem:
        yield f"⚠️ {words.explain_league_error(locale, LeagueError(problem))}"


def _server_of(interaction: Interaction) -> discord.Guild:
    assert interaction.guild is not None, interaction.guild_id  # managers are in a server
    return interaction.guild


def _role_problem(server: discord.Guild, role: discord.Role) -> LeagueProblem | None:
    """Returns why the bot cannot give that role, or must not; None if it can."""
    if not server.me.guild_permissions.manage_roles:
        return LeagueProblem.NO_MANAGE_ROLES
    if not role.is_assignable():
        return LeagueProblem.ROLE_ABOVE
    return LeagueProblem.ROLE_POWERFUL if gives_power(role) else None


def _may_give(interaction: Interaction, server: discord.Guild, role: discord.Role) -> bool:
    """True if the person may give that role themselves, so that nobody gains power through the bot.

    Only permissions in the whole server count: in a channel, Manage Roles only means managing its permissions.
    """
    member = interaction.user
    assert isinstance(member, discord.Member), member
    return member.id == server.owner_id or (member.guild_permissions.manage_roles and role < member.top_role)


async def _acknowledge_manager(interaction: Interaction) -> Caller:
    """Acknowledges a press, and returns who has pressed. Raises NOT_MANAGER."""
    require_manager(interaction)
    await interaction.response.defer()
    return caller_of(interaction)


async def _find_managed(interaction: Interaction, league_id: int) -> tuple[Caller, League]:
    """Acknowledges a press, and returns who has pressed, and the league. Raises NOT_MANAGER or NO_LEAGUE."""
    caller = await _acknowledge_manager(interaction)
    return caller, await leagues.find_league(caller.service, caller.guild, league_id)


def chosen_role(interaction: Interaction) -> discord.Role | None:
    """Returns the role chosen in a menu; None if none is. Raises Declined for one that the bot does not know."""
    number = next(iter(chosen_numbers(interaction)), 0)
    role = _server_of(interaction).get_role(number)
    if number and role is None:
        raise Declined("failure.unfit-option", value=f"<@&{number}>")
    return role


@LEAGUE_MANAGE.register_handler("role")
async def choose_role(interaction: Interaction, state: ManageState) -> None:
    """Chooses the role for the winners, or none."""
    caller, league = await _find_managed(interaction, state.league_id)
    server, role = _server_of(interaction), chosen_role(interaction)
    if role and (problem := _role_problem(server, role)):
        raise LeagueError(problem)
    before = server.get_role(league.role or 0)  # whose holders lose it
    if not all(_may_give(interaction, server, one) for one in (role, before) if one):
        raise LeagueError(LeagueProblem.ROLE_NOT_YOURS)
    league = await leagues.choose_role(caller.service, caller.guild, league.id, role.id if role else None, caller.now)
    await _update_panel(interaction, league)


@LEAGUE_MANAGE.register_handler("called-role")
async def choose_called_role(interaction: Interaction, state: ManageState) -> None:
    """Chooses the role that is mentioned at the sign-up and at the start, or none."""
    require_manager(interaction)
    role = chosen_role(interaction)
    LeagueError.raise_if(role and not may_mention(role), LeagueProblem.ROLE_SILENT)
    await _change(interaction, state.league_id, lambda league: replace(league, called_role=role.id if role else None))


@LEAGUE_MANAGE.register_handler("channel")
async def choose_channel(interaction: Interaction, state: ManageState) -> None:
    """Chooses another channel for a league whose own has been deleted."""
    caller, league = await _find_managed(interaction, state.league_id)
    for channel in chosen_numbers(interaction):
        require_public_channel(interaction, channel)
        league = await leagues.choose_channel(caller.service, caller.guild, league.id, channel, caller.now)
    await _update_panel(interaction, league)


class LostChannels(commands.Cog):
    """Tells managers that a league's channel has been deleted, where the audit channel has not."""

    def __init__(self, context: BotContext) -> None:
        self._context = context

    @commands.Cog.listener()
    async def on_app_command_completion(
        self, interaction: Interaction, command: app_commands.Command[Any, ..., object] | app_commands.ContextMenu
    ) -> None:
        """Tells it once, to the manager who has used `/server`."""
        guild = interaction.guild_id
        if guild is None or not command.qualified_name.startswith("server ") or not may_manage_server(interaction):
            return
        for league in await leagues.tell_lost_channels(self._context.service, guild):
            with best_effort("lost channel of a league not told", league=league.id):
                said = words.text_about(reader_language(interaction), league, "league.no-channel")
                await send_answer(interaction, said)


async def _update_panel(interaction: Interaction, league: League) -> None:
    """Shows the changed panel, and starts at once the work that the change causes."""
    locale = reader_language(interaction)
    content, view = league_panel(locale, _server_of(interaction), league, menu_nonce(interaction))
    await update_message(interaction, content, view=view)
    context_of(interaction).jobs_due.set()


def _back_button(locale: Language, league_id: int) -> Button:
    """Returns the button of a page that leads back to the panel of the league."""
    return LEAGUE_BUTTONS.make_button("panel", LeagueRef(league_id), text(locale, "button.back"))


async def _ask(interaction: Interaction, league: League, question: str, answer: str) -> None:
    """Asks a manager whether they are sure, with a button that does it and one that leads back."""
    locale = reader_language(interaction)
    view = make_view(*league_buttons(locale, league, answer), _back_button(locale, league.id))
    await update_message(interaction, question, view=view)


@LEAGUE_BUTTONS.register_handler("panel")
async def go_back(interaction: Interaction, ref: LeagueRef) -> None:
    """Shows the panel of the league again."""
    await _update_panel(interaction, (await _find_managed(interaction, ref.league_id))[1])


async def _change(interaction: Interaction, league_id: int, change: Callable[[League], League]) -> None:
    """Changes a league, and shows its panel. Raises NOT_MANAGER, NO_LEAGUE, and what the change raises."""
    caller = await _acknowledge_manager(interaction)
    await _update_panel(interaction, await leagues.change_league(caller.service, caller.guild, league_id, change))


@LEAGUE_BUTTONS.register_handler("people")
async def show_people(interaction: Interaction, ref: LeagueRef) -> None:
    """Shows the people of the league."""
    await _update_people(interaction, (await _find_managed(interaction, ref.league_id))[1])


@LEAGUE_PEOPLE.register_handler("who")
async def choose_person(interaction: Interaction, state: PersonState) -> None:
    """Shows what may be done with the person on the button or chosen in the menu, or another page of the menu."""
    _, league = await _find_managed(interaction, state.league_id)
    page = None if state.user else page_chosen(submitted_value(interaction))
    user = state.user if state.user or page is not None else given_number(interaction)
    await _update_people(interaction, league, user, page=page)


@LEAGUE_PEOPLE.register_handler("move")
async def move_person(interaction: Interaction, state: PersonState) -> None:
    """Moves the person to another group before the season begins."""
    caller = await _acknowledge_manager(interaction)
    league = await leagues.move_person(caller.service, caller.actor, state.league_id, state.user, state.division)
    await _update_people(interaction, league, state.user)


@LEAGUE_PEOPLE.register_handler("put-in")
async def put_person_in(interaction: Interaction, state: PersonState) -> None:
    """Gives the person of the reserve a seat in the next season."""
    caller = await _acknowledge_manager(interaction)
    person = caller.actor._replace(user=state.user)
    league, _ = await leagues.join_league(caller.service, person, state.league_id, reserve=False, manager=caller.user)
    await _update_people(interaction, league, state.user)


@LEAGUE_PEOPLE.register_handler("remove")
async def ask_about_removal(interaction: Interaction, state: PersonState) -> None:
    """Says what taking the person out means, with a button that does it."""
    _, league = await _find_managed(interaction, state.league_id)
    asked, view = await _removal_question(interaction, league, state.user)
    await update_message(interaction, asked, view=view)


async def _removal_question(interaction: Interaction, league: League, user: int) -> tuple[str, View]:
    """Returns the question whether to take a person out. Raises NOT_THERE if the person is not in the league."""
    caller = caller_of(interaction)
    leaving = await leagues.find_leaving(caller.service.reader, league, user, caller.user)
    out = text(caller.locale, "button.league-remove")
    sure = LEAGUE_PEOPLE.make_button("sure", PersonState(league.id, user), out, ButtonStyle.danger)
    back = LEAGUE_PEOPLE.make_button("who", PersonState(league.id, user), text(caller.locale, "button.back"))
    return words.leaving_text(caller.locale, league, leaving, user), make_view(sure, back)


@LEAGUE_PEOPLE.register_handler("sure")
async def remove_person(interaction: Interaction, state: PersonState) -> None:
    """Takes the person out of the league."""
    caller = await _acknowledge_manager(interaction)
    league = await leagues.leave_league(
        caller.service, caller.guild, state.league_id, state.user, caller.now, caller.user
    )
    player = mention_user(state.user, caller.locale)
    done = words.text_about(caller.locale, league, "league.removed-done", player=player)
    await _update_people(interaction, league, done=done)


async def _update_people(
    interaction: Interaction, league: League, user: int = 0, done: str = "", page: int | None = None
) -> None:
    """Shows the people of a league, with what may be done with the chosen person, if any (0), and below what has just
    been done; starts at once the work that a change causes. Raises NOT_THERE if the person is not in the league.

    `page`: of the menu of people; None for the chosen person's.
    """
    caller = caller_of(interaction)
    reader, locale = caller.service.reader, caller.locale
    listed = await leagues.load_sign_ups(reader, league)
    if league.is_on:
        groups = await leagues.load_groups(reader, league, league.season)
        divisions = tuple(group.users_in for group in groups)
    else:
        divisions = await leagues.plan_divisions(reader, league, listed.ready)
    seated = [user for users in divisions for user in users]
    # Who has taken a seat over is in reserve for the next season only.
    listed = listed._replace(reserve=tuple(user for user in listed.reserve if user not in seated))
    people = [*dict.fromkeys([*seated, *listed.users])]
    asked, buttons = text(locale, "league.people" if league.is_on else "league.people-planned"), list[Button]()
    if user:
        LeagueError.raise_if(user not in people, LeagueProblem.NOT_THERE)
        asked, buttons = _person_controls(locale, league, user, divisions, listed)
    names = dict.fromkeys(people, text(locale, "unknown-player"))
    names |= await caller.context.names.find_names(caller.guild, people)
    options = [make_option(names[one], str(one), chosen=one == user) for one in people]
    page = (people.index(user) if user else 0) // OPTIONS_PER_PAGE if page is None else page
    shown, hint = options_on_page(locale, options, page, text(locale, "league.people-menu"))
    state = PersonState(league.id, fresh=menu_nonce(interaction))
    menu = [LEAGUE_PEOPLE.make_menu("who", state, shown, hint)] if shown else []
    said = words.people_text(locale, league, divisions, listed, f"{done}\n{asked}".lstrip())
    await update_message(interaction, said, view=make_view(*menu, *buttons, _back_button(locale, league.id)))
    caller.context.jobs_due.set()


def _person_controls(
    locale: Language, league: League, user: int, divisions: Divisions, listed: leagues.SignUpList
) -> tuple[str, list[Button]]:
    """Returns what managers are asked about a person of a league, and the buttons for what may be done with them."""
    state, asked, buttons = PersonState(league.id, user), [mention_user(user, locale)], list[Button]()
    for at in (number for number, users in enumerate(divisions) if user in users):
        asked.append(words.group_name(locale, at))
        for sign, to in (("🔼", at - 1), ("🔽", at + 1)) if not league.is_on else ():
            if 0 <= to < len(divisions):
                label = f"{sign} {words.group_name(locale, to)}"
                buttons.append(LEAGUE_PEOPLE.make_button("move", state._replace(division=to), label))
    names = ["put-in", "remove"] if user in listed.reserve else ["remove"]
    asked += [text(locale, "league.person-reserve")] if user in listed.reserve else []
    buttons += [LEAGUE_PEOPLE.make_button(name, state, text(locale, f"button.league-{name}")) for name in names]
    return text(locale, "league.person", person=", ".join(asked)), buttons


@LEAGUE_BUTTONS.register_handler("close")
async def ask_about_closing(interaction: Interaction, ref: LeagueRef) -> None:
    """Says what closing a league means, with a button that does it."""
    caller, league = await _find_managed(interaction, ref.league_id)
    league.require_open()
    asked = "league.close.later" if league.is_on else "league.close.now"
    await _ask(interaction, league, words.text_about(caller.locale, league, asked), "close-sure")


@LEAGUE_BUTTONS.register_handler("close-sure")
async def close_league(interaction: Interaction, ref: LeagueRef) -> None:
    """Closes the league, or lets it close after its season, which can be taken back until then."""
    await _change(interaction, ref.league_id, League.close)


@LEAGUE_BUTTONS.register_handler("keep")
async def keep_league(interaction: Interaction, ref: LeagueRef) -> None:
    """Takes back that the league closes after its season."""
    await _change(interaction, ref.league_id, League.keep)


@LEAGUE_BUTTONS.register_handler("start")
async def ask_about_start(interaction: Interaction, ref: LeagueRef) -> None:
    """Says who plays if the season begins now, with a button that begins it."""
    caller, league = await _find_managed(interaction, ref.league_id)
    ready = await leagues.require_enough(caller.service.reader, league)
    asked = words.text_about(caller.locale, league, "league.start")
    await _ask(interaction, league, f"{words.signed_up_line(caller.locale, ready)}\n{asked}", "start-sure")


@LEAGUE_BUTTONS.register_handler("start-sure")
async def start_season(interaction: Interaction, ref: LeagueRef) -> None:
    """Begins the season for which people sign up."""
    caller = await _acknowledge_manager(interaction)
    league = await leagues.begin_season_early(caller.service, caller.guild, ref.league_id, caller.now)
    caller.context.jobs_due.set()
    await update_message(interaction, words.text_about(caller.locale, league, "league.starts"), view=None)


@LEAGUE_MANAGE.register_handler("week-more")
async def prolong_sign_up(interaction: Interaction, state: ManageState) -> None:
    """Gives people one more week to sign up. A second press of the same button changes nothing."""
    await _change(interaction, state.league_id, lambda league: league.prolong_sign_up(state.begins_at, now()))


LEAGUE_NAME_FORM = Family("rt-league-name", LeagueRef)


@LEAGUE_BUTTONS.register_handler("rename")
async def ask_for_name(interaction: Interaction, ref: LeagueRef) -> None:
    """Opens the form for the name of a league."""
    require_manager(interaction)
    caller = caller_of(interaction)
    league = await leagues.find_league(caller.service, caller.guild, ref.league_id)
    await _send_name_form(interaction, partial(LEAGUE_NAME_FORM.make_form, "", ref), league.name)


async def _send_name_form(interaction: Interaction, make_form: Callable[..., Modal], present: str = "") -> None:
    locale = reader_language(interaction)
    field = TextInput[Any](custom_id="name", max_length=MAX_LEAGUE_NAME_LENGTH, required=False, default=present or None)
    title, hint = text(locale, "button.league-rename"), text(locale, "league.name-hint")
    await interaction.response.send_modal(make_form(title, title, hint, field))


@LEAGUE_NAME_FORM.register_handler()
async def rename_league(interaction: Interaction, ref: LeagueRef) -> None:
    """Gives the league the typed name; without one it is called by its game and its number."""
    name = plain_league_name(submitted_value(interaction))
    await _change(interaction, ref.league_id, lambda league: replace(league, name=name, edited_at=0))


def plain_league_name(typed: str) -> str:
    """Returns the typed name without what Discord would show as markup, a mention or a link; empty for no name."""
    plain = "".join(char for char in typed if char not in "\\*_~`|<>#[]()@:/")
    return one_line(plain, MAX_LEAGUE_NAME_LENGTH) if plain.strip() else ""


MENUS = ("variant", "pace", "weeks", "size", "length")
"""The questions asked by a menu. The others have a button that takes the next answer."""
BUTTONS = sorted((name for name in QUESTIONS if name not in MENUS), key=lambda name: len(QUESTIONS[name]))
"""The questions asked by a button, those with few answers first."""
QUESTIONS_OF_OLD_IDS = 8
"""How many questions every id answers, in the order of `QUESTIONS`. New ones come last: earlier ids lack them. Such an
answer is left out if it and those that follow are the usual; its name has three characters or more, unlike `fresh`.
"""


def _read_terms(text: str) -> LeagueTerms:
    fields = dict[str, Any]()
    for answers, answer in zip(QUESTIONS.values(), text.split(":"), strict=False):
        fields |= answers[answer]
    return LeagueTerms(**fields)


def _write_terms(terms: Any) -> str:
    fields = terms._asdict().items()
    given = [next(one for one in answers if answers[one].items() <= fields) for answers in QUESTIONS.values()]
    while len(given) > QUESTIONS_OF_OLD_IDS and _read_terms(":".join(given[:-1])) == terms:
        given.pop()
    return ":".join(given)


_PATTERNS = [f"(?:{'|'.join(answers)})" for answers in QUESTIONS.values()]
_LATER = [f"(?::{pattern}" for pattern in _PATTERNS[QUESTIONS_OF_OLD_IDS:]]
_TERMS_PATTERN = ":".join(_PATTERNS[:QUESTIONS_OF_OLD_IDS]) + "".join(_LATER) + ")?" * len(_LATER)


class PanelState(NamedTuple):
    """The terms in the panel in which a league is opened."""

    terms: Annotated[LeagueTerms, FieldFormat(_TERMS_PATTERN, _read_terms, _write_terms)]
    fresh: NonceField = ""
    """Used by menus only."""


DEFAULT_TERMS = LeagueTerms("camette")
"""A short game, which has time to end in a season of the usual length."""

LEAGUE_PANEL = Family("rt-league-new", PanelState)


@slash_command("server league")
@app_commands.autocomplete(league=suggest_leagues)
async def server_league_command(
    interaction: Interaction, league: int | None = None, remove: discord.User | None = None
) -> None:
    """Opens the panel of a league, or for the first one, or asks about taking a person out of it."""
    require_manager(interaction)
    caller, here = caller_of(interaction), channel_here(interaction)
    if league is None and remove is None:
        present = await leagues.open_leagues(caller.service.reader, caller.guild, here)
        if not present:
            await send_answer(interaction, None, view=await _panel_here(interaction, PanelState(DEFAULT_TERMS)))
            return
        league = present[0].id
    chosen = await leagues.find_league(caller.service, caller.guild, league, here)
    if remove is None:
        content, view = league_panel(caller.locale, _server_of(interaction), chosen, menu_nonce(interaction))
    else:
        content, view = await _removal_question(interaction, chosen, remove.id)
    await send_answer(interaction, content, view=view)


@LEAGUE_BUTTONS.register_handler("another")
async def show_new_panel(interaction: Interaction, _: LeagueRef) -> None:
    """Sends the panel in which a league is opened, a message of its own: each opens one league."""
    require_manager(interaction)
    await send_answer(interaction, None, view=await _panel_here(interaction, PanelState(DEFAULT_TERMS)))


async def _panel_here(interaction: Interaction, state: PanelState) -> Layout:
    caller, (_, channel) = caller_of(interaction), server_and_channel(interaction)
    notes = words.short_season_warning(caller.locale, state.terms), _thread_warning(interaction, channel)
    state = state._replace(fresh=menu_nonce(interaction))
    return terms_panel(caller.locale, channel, state, [*filter(None, notes)])


def _thread_warning(interaction: Interaction, channel_id: int) -> str:
    """Returns that games of a league in this channel would get no threads, and why; empty if they get them, or the
    server wants none.
    """
    caller, server = caller_of(interaction), _server_of(interaction)
    settings = caller.context.servers.settings_of(server.id)
    forum, channel = server.get_channel(settings.forum or 0), server.get_channel(channel_id)
    has_forum = isinstance(forum, discord.ForumChannel) and not missing_to_bot(server, forum)
    missing = missing_to_bot(server, channel, wants_thread=True) if isinstance(channel, discord.TextChannel) else None
    if has_forum or not settings.threads.gives_thread(wanted=True) or missing == ():
        return ""
    why = trouble_sentence(caller.locale, Trouble(Obstacle.FORBIDDEN, channel_id, missing)) if missing else ""
    return text(caller.locale, "league.no-threads", why=why).rstrip()


def terms_panel(locale: Language, channel: int, state: PanelState, warnings: Sequence[str] = ()) -> Layout:
    """Returns the panel in which a league is opened."""
    terms, controls = state.terms, list[Item[Any]]()
    for name in MENUS:
        options = [
            make_option(words.answer_text(locale, name, changed), answer, chosen=changed == terms)
            for answer, changed in _changes(terms, name).items()
        ]
        controls.append(LEAGUE_PANEL.make_menu(name, state, options, text(locale, f"league.menu.{name}")))
    for name, style in (("open", ButtonStyle.primary), ("name", ButtonStyle.secondary)):
        controls.append(LEAGUE_PANEL.make_button(name, PanelState(terms), text(locale, f"button.league-{name}"), style))
    for name in BUTTONS:
        changes = [*_changes(terms, name).values()]
        after = changes[(changes.index(terms) + 1) % len(changes)]
        controls.append(LEAGUE_PANEL.make_button(name, PanelState(after), words.answer_text(locale, name, after)))
    title = text(locale, "league.panel", channel=f"<#{channel}>", **words.describe_terms(locale, terms))
    lines = "\n".join([words.terms_text(locale, terms), *warnings])
    return lay_out_rows(RowList(title, [Row(lines)], components=controls))


def _changes(terms: LeagueTerms, name: str) -> dict[str, LeagueTerms]:
    """Returns the terms with each answer to a question."""
    return {answer: terms._replace(**fields) for answer, fields in QUESTIONS[name].items()}


async def show_panel(interaction: Interaction, state: PanelState) -> None:
    """Shows the panel with the terms that the button carries."""
    require_manager(interaction)
    await update_message(interaction, None, view=await _panel_here(interaction, state))


async def _choose_answer(name: str, interaction: Interaction, state: PanelState) -> None:
    """Shows the panel with the answer chosen in the menu."""
    changed = _changes(state.terms, name).get(submitted_value(interaction))
    if changed is None:
        raise outdated_error()
    await show_panel(interaction, PanelState(changed))


for _name in MENUS:
    LEAGUE_PANEL.register_handler(_name)(partial(_choose_answer, _name))
for _name in BUTTONS:
    LEAGUE_PANEL.register_handler(_name)(show_panel)


@LEAGUE_PANEL.register_handler("name")
async def ask_for_first_name(interaction: Interaction, state: PanelState) -> None:
    """Asks for the name of a new league, whose form opens it."""
    require_manager(interaction)
    await _send_name_form(interaction, partial(LEAGUE_PANEL.make_form, "named", state))


@LEAGUE_PANEL.register_handler("named")
@LEAGUE_PANEL.register_handler("open")
async def open_new_league(interaction: Interaction, state: PanelState) -> None:
    """Opens the league in this channel, under the name that is typed, if any."""
    caller = await _acknowledge_manager(interaction)
    guild, channel = server_and_channel(interaction)
    require_public_channel(interaction, channel)
    panel = interaction.message.id if interaction.message else None
    name = plain_league_name("".join(all_given(interaction)))
    league = replace(new_league(0, guild, channel, state.terms, caller.now), panel=panel, name=name)
    await _update_panel(interaction, await leagues.open_league(caller.service, league))
