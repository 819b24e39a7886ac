"""The panels of settings, which `bot.core.settings` declares: `/me settings` for people, `/server settings` for the
managers of a server; the welcome to a new server, with a button to its settings; and **Block** in the menu on people's
names, with the list of the people whom somebody has blocked.

A panel's first page lists everything by group. Each group has a page, where every value is set below its line.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Generic, NamedTuple

import discord
from discord import ButtonStyle, ChannelType
from discord.ext import commands
from discord.ui import Item, TextInput

from bot.core.events import format_numbers, parse_numbers
from bot.core.problems import MatchError, Problem
from bot.core.setting_kinds import ChannelKind, LanguageName, OneChannel, Paragraph, ZoneName, zone_named
from bot.core.settings import SETTINGS, GuildSettings, Setting, SettingsT, UserSettings
from bot.discordkit.components import (
    Button,
    Family,
    KeyField,
    NonceField,
    UserField,
    all_given,
    chosen_numbers,
    make_option,
    menu_nonce,
    outdated_error,
)
from bot.discordkit.errors import Declined
from bot.discordkit.paging import page_of
from bot.discordkit.permissions import require_permissions
from bot.discordkit.reply import (
    Interaction,
    Layout,
    Row,
    RowList,
    is_in_private,
    lay_out_rows,
    make_view,
    reader_language,
    send_answer,
    server_here,
    think_beside,
    update_message,
)
from bot.discordkit.slash import slash_command, user_menu
from bot.play.announcing.outbox import best_effort
from bot.play.caller import caller_of, context_of
from bot.play.context import Action, BotContext, Post, action_button
from bot.play.options import require_manager, require_public_channel
from bot.play.service.people import block_person, change_user_settings, note_told, unblock_person
from bot.play.sheets import OPEN_BUTTONS, Sheet, draws_sheets, page_buttons, turn_to_sheet
from bot.store.people import people_blocked_by
from bot.texts.i18n import LANGUAGES, Language, join_list, language_name, load_catalogue, text
from bot.texts.markup import whole_text
from bot.texts.people import mention_user
from bot.texts.sentences import zone_text

MAX_TYPED_LENGTH = 60


class SettingState(NamedTuple):
    """The setting that a control changes, or the group that a button opens; "-" for the first page."""

    name: KeyField = "-"
    fresh: NonceField = ""
    """Used by menus only."""


class SettingsPanel(ABC, Generic[SettingsT]):
    """The panel of one owner's settings, with its components."""

    words: str
    """The key in the catalogues below which each setting has its words."""

    def __init__(self, owner: type[SettingsT], family: Family[SettingState], form: Family[SettingState]) -> None:
        """Makes the panel with these components, which it answers."""
        self.settings = {name: setting for name, setting in SETTINGS[owner].items() if setting.group}
        self.groups = dict.fromkeys(setting.group for setting in self.settings.values())
        self.family, self._form = family, form
        self.family.register_handler("group")(self._open_group)
        self.family.register_handler("type")(self._open_form)
        self.family.register_handler("value")(self.set_given)
        self._form.register_handler()(self.set_given)

    @abstractmethod
    async def load(self, interaction: Interaction) -> SettingsT:
        """Returns the present settings. Raises NOT_MANAGER if the person may not see them."""

    @abstractmethod
    async def store(self, interaction: Interaction, change: Callable[[SettingsT], SettingsT]) -> SettingsT:
        """Stores what `change` makes of the settings, and returns it."""

    def footer(self, locale: Language, settings: SettingsT, group: str) -> str:
        """Returns what stands below the page of a group, or below the first page."""
        return ""

    def more_buttons(self, locale: Language, group: str) -> Sequence[Button]:
        """Returns the buttons beside those to the pages."""
        return ()

    async def set_given(self, interaction: Interaction, state: SettingState) -> None:
        """Sets the setting to what is chosen or typed, and shows its group with it."""
        setting, typed = self.find(state.name), " ".join(all_given(interaction))
        if isinstance(setting.kind, ChannelKind):
            typed = format_numbers(_require_channels(interaction, setting.kind))
        try:
            value = setting.kind.parse(typed)
        except ValueError as error:
            raise outdated_error() from error
        await interaction.response.defer()
        settings = await self.store(interaction, lambda old: replace(old, **{setting.field: value}))
        await self.show_page(interaction, settings, setting.group, saved=setting.name)

    async def show_page(self, interaction: Interaction, settings: SettingsT, group: str = "", **notes: str) -> None:
        """Shows a page: in the panel in which somebody has pressed, otherwise in a private message of its own. `notes`:
        see `lay_out`.
        """
        answer = update_message if is_in_private(interaction) else send_answer
        await answer(interaction, None, view=self.lay_out(interaction, settings, group, **notes))

    def find(self, name: str) -> Setting:
        """Returns the setting of that name. Raises NO_SUCH_BUTTON if the panel has none."""
        if name not in self.settings:
            raise outdated_error()
        return self.settings[name]

    async def _open_group(self, interaction: Interaction, state: SettingState) -> None:
        group = state.name if state.name in self.groups else ""
        await self.show_page(interaction, await self.load(interaction), group)

    async def _open_form(self, interaction: Interaction, state: SettingState) -> None:
        setting, locale = self.find(state.name), reader_language(interaction)
        kind, present = setting.kind, getattr(await self.load(interaction), setting.field)
        is_long = isinstance(kind, Paragraph)
        field: TextInput[discord.ui.View] = TextInput(
            style=discord.TextStyle.paragraph if is_long else discord.TextStyle.short,
            custom_id="x",
            default=zone_named(present).key if isinstance(kind, ZoneName) else kind.format(present),
            required=not is_long,
            max_length=kind.max_length if isinstance(kind, Paragraph) else MAX_TYPED_LENGTH,
        )
        title, hint = (text(locale, f"{self.words}.{setting.name}.{part}") for part in ("name", "hint"))
        await interaction.response.send_modal(self._form.make_form("", state, title, title, hint, field))

    # What a panel shows

    def lay_out(
        self, interaction: Interaction, settings: SettingsT, group: str = "", *, note: str = "", saved: str = ""
    ) -> Layout:
        """Returns the page of a group, or the first page, with the note below its title. The line of the setting named
        `saved` says that it is.
        """
        locale = reader_language(interaction)
        title, rows = text(locale, f"{self.words}.title"), list[Row]()
        if group:
            title = f"{title} · {self._group_name(locale, group)}"
            rows += [self._row(interaction, setting, settings, saved) for setting in self._settings_of(group)]
        else:
            for name in self.groups:
                lines = [f"- {self.line(locale, setting, settings)}" for setting in self._settings_of(name)]
                rows.append(Row("\n".join([f"__{self._group_name(locale, name)}__", *lines])))
        buttons = [self._page_button(locale, name, is_open=name == group) for name in ("", *self.groups)]
        buttons += self.more_buttons(locale, group)
        return lay_out_rows(RowList(f"{title}\n{note}".strip(), rows, self.footer(locale, settings, group), buttons))

    def _row(self, interaction: Interaction, setting: Setting, settings: SettingsT, saved: str) -> Row:
        locale = reader_language(interaction)
        line = self.line(locale, setting, settings, "settings.saved" if setting.name == saved else "settings.line")
        if about := load_catalogue(locale).get(f"{self.words}.{setting.name}.about"):
            line += f"\n-# {about}"
        if self.is_typed(setting):
            change = self.family.make_button("type", SettingState(setting.name), text(locale, "settings.type"))
            return Row(line, change)
        return Row(line, controls=[self._menu(interaction, setting, settings)])

    def _page_button(self, locale: Language, group: str, *, is_open: bool) -> Button:
        style = ButtonStyle.primary if is_open else ButtonStyle.secondary
        return self.family.make_button("group", SettingState(group or "-"), self._group_name(locale, group), style)

    def _group_name(self, locale: Language, group: str) -> str:
        return text(locale, f"{self.words}.group.{group}" if group else "settings.all")

    def _settings_of(self, group: str) -> list[Setting]:
        return [setting for setting in self.settings.values() if setting.group == group]

    def line(self, locale: Language, setting: Setting, settings: SettingsT, key: str = "settings.line") -> str:
        """Returns the name of a setting with its value."""
        name, value = text(locale, f"{self.words}.{setting.name}.name"), self.value_text(locale, setting, settings)
        return text(locale, key, name=name, value=value)

    def value_text(self, locale: Language, setting: Setting, settings: SettingsT) -> str:
        """Returns the value of a setting in words."""
        kind, value = setting.kind, getattr(settings, setting.field)
        typed, key = kind.format(value), f"{self.words}.{setting.name}"
        if options := self.options_of(setting):
            words = join_list(
                locale, [self.option_text(locale, setting, one) for one in options if one in typed.split()]
            )
        elif isinstance(kind, ZoneName):
            words = zone_text(locale, typed)
        elif isinstance(kind, ChannelKind):
            words = " ".join(f"<#{channel}>" for channel in parse_numbers(typed))
        else:
            words = value and (text(locale, f"{key}.set") if isinstance(kind, Paragraph) else typed)
        known = load_catalogue(locale)
        return words or known.get(f"{key}.nothing", known["settings.nothing"])

    def options_of(self, setting: Setting) -> Sequence[str]:
        """Returns the texts of the values to choose from; none for what is typed, and for channels."""
        if isinstance(setting.kind, LanguageName):
            return (setting.kind.automatic, *LANGUAGES)
        return setting.kind.options

    def is_typed(self, setting: Setting) -> bool:
        """Returns whether the setting is typed into a form."""
        return not self.options_of(setting) and not isinstance(setting.kind, ChannelKind)

    def option_text(self, locale: Language, setting: Setting, option: str) -> str:
        """Returns an option in words."""
        if isinstance(setting.kind, LanguageName) and option in LANGUAGES:
            return language_name(option)
        return text(locale, f"{setting.words or f'{self.words}.{setting.name}'}.{option}")

    def _menu(self, interaction: Interaction, setting: Setting, settings: SettingsT) -> Item[Any]:
        """Returns the menu of a setting that is not typed, with a short name that repeats nothing. Of several options
        or channels it shows the chosen ones.
        """
        guild, locale = interaction.guild, reader_language(interaction)
        state = SettingState(setting.name, menu_nonce(interaction))
        placeholder = text(locale, f"{self.words}.{setting.name}.menu")
        kind, chosen = setting.kind, setting.kind.format(getattr(settings, setting.field))
        if isinstance(kind, ChannelKind):
            types = [ChannelType[name] for name in kind.types]
            # A menu cannot show deleted channels.
            present = [channel for channel in parse_numbers(chosen) if guild and guild.get_channel(channel)]
            return self.family.make_channel_menu("channels", state, present, kind.most, types, placeholder)
        defaults = chosen.split() if kind.most else ()
        options = [
            make_option(self.option_text(locale, setting, one), one, chosen=one in defaults)
            for one in self.options_of(setting)
        ]
        return self.family.make_menu("value", state, options, placeholder, kind.most)


class OwnPanel(SettingsPanel[UserSettings]):
    """The panel of a person's own settings, in every server."""

    words = "setting"

    async def load(self, interaction: Interaction) -> UserSettings:
        return await caller_of(interaction).load_settings()

    async def store(self, interaction: Interaction, change: Callable[[UserSettings], UserSettings]) -> UserSettings:
        caller = caller_of(interaction)

        def change_with_language(settings: UserSettings) -> UserSettings:
            changed = change(settings)
            return replace(changed, language=caller.locale if changed.by_dm else None)

        after = await change_user_settings(caller.service, caller.person, change_with_language)
        context_of(interaction).jobs_due.set()
        return after

    def footer(self, locale: Language, settings: UserSettings, group: str) -> str:
        goes_by_utc = zone_named(settings.zone).key == "UTC" and (settings.sleep or settings.free_days)
        notes = {"utc": goes_by_utc and group in ("", "time"), "how": not group}
        return "\n".join(text(locale, f"setting.{note}") for note, is_due in notes.items() if is_due)

    def more_buttons(self, locale: Language, group: str) -> Sequence[Button]:
        return () if group else [OPEN_BUTTONS.make_button("", Sheet(BLOCKED_SHEET), text(locale, "button.blocked"))]


OWN_FAMILY, OWN_FORM = Family("rt-mine", SettingState), Family("rt-mine-form", SettingState)
OWN_PANEL = OwnPanel(UserSettings, OWN_FAMILY, OWN_FORM)


@slash_command("me settings")
async def me_settings_command(interaction: Interaction) -> None:
    """Shows the person's settings."""
    told = await note_told(context_of(interaction).service, interaction.user.id)
    note = text(reader_language(interaction), "setting.gone") if told else ""
    await OWN_PANEL.show_page(interaction, await OWN_PANEL.load(interaction), note=note)


class ServerPanel(SettingsPanel[GuildSettings]):
    """The panel of a server's settings, for the people who manage it."""

    words = "server"

    async def load(self, interaction: Interaction) -> GuildSettings:
        require_manager(interaction)
        return context_of(interaction).servers.settings_of(caller_of(interaction).guild)

    async def store(self, interaction: Interaction, change: Callable[[GuildSettings], GuildSettings]) -> GuildSettings:
        require_manager(interaction)
        return await context_of(interaction).servers.change_settings(caller_of(interaction).guild, change)


SERVER_FAMILY, SERVER_FORM = Family("rt-server", SettingState), Family("rt-server-form", SettingState)
SERVER_PANEL = ServerPanel(GuildSettings, SERVER_FAMILY, SERVER_FORM)
SERVER_FAMILY.register_handler("channels")(SERVER_PANEL.set_given)


def _require_channels(interaction: Interaction, kind: ChannelKind[Any]) -> list[int]:
    """Returns the numbers of the chosen channels. Raises NOT_MANAGER; Declined if the server has none of a type that
    the setting accepts; and what keeps the bot or the members from a channel.
    """
    require_manager(interaction)
    numbers = chosen_numbers(interaction)[: kind.most]
    for number in numbers:
        channel = interaction.guild.get_channel(number) if interaction.guild else None
        if channel is None or channel.type.name not in kind.types:
            raise Declined("failure.unfit-option", value=f"<#{number}>")
        if kind.is_public:
            require_public_channel(interaction, number)
        elif isinstance(kind, OneChannel):
            require_permissions(channel.permissions_for(channel.guild.me), channel)
    return numbers


@slash_command("server settings")
async def server_settings_command(interaction: Interaction) -> None:
    """Shows the server's settings."""
    settings, note = await SERVER_PANEL.load(interaction), ""
    if settings.untold:
        note = text(reader_language(interaction), "server.gone")
        await SERVER_PANEL.store(interaction, lambda settings: replace(settings, untold=False))
    await SERVER_PANEL.show_page(interaction, settings, note=note)


HOUSE_RULES_NAME = "house-rules"
HOUSE_RULES_BUTTONS = Family("rt", Action)


@HOUSE_RULES_BUTTONS.register_handler(HOUSE_RULES_NAME)
async def show_house_rules(interaction: Interaction, _: Action) -> None:
    """Shows the house rules, from the button below the help or a rulebook."""
    caller = caller_of(interaction)
    rules = context_of(interaction).servers.settings_of(caller.guild).house_rules
    key = "server.house-rules.shown" if rules else "server.house-rules.none"
    await send_answer(interaction, text(caller.locale, key, rules=whole_text(rules)))


def house_rules_button(interaction: Interaction) -> list[Button]:
    """Returns the button that opens the server's house rules, if it has any."""
    settings = context_of(interaction).servers.settings_of(server_here(interaction) or 0)
    return [action_button(reader_language(interaction), HOUSE_RULES_NAME)] if settings.house_rules else []


class Welcomes(commands.Cog):
    """Posts the welcome in the system channel of a server that adds the bot."""

    def __init__(self, context: BotContext) -> None:
        self._context = context

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Posts the welcome; nothing if the host has not allowed the server, or if the bot may not post there."""
        context, channel = self._context, guild.system_channel
        is_ours = context.allowed_servers is None or guild.id in context.allowed_servers
        granted = channel.permissions_for(guild.me) if channel else discord.Permissions.none()
        if channel is None or not (is_ours and granted.view_channel and granted.send_messages):
            return
        locale = context.server_language(guild.id)
        settings = SERVER_FAMILY.make_button("group", SettingState(), text(locale, "button.server-settings"))
        post = Post(channel.id, guild.id, text(locale, "welcome.text"), f"w{guild.id:x}", buttons=[settings])
        with best_effort("not welcomed", server=guild.id):
            await context.send_post(post)


# The people whom somebody has blocked


BLOCKED_SHEET = "blocked"
BLOCKED_ON_PAGE = 10


class BlockState(NamedTuple):
    """The person who is blocked."""

    user: UserField


BLOCK_BUTTONS = Family("rt-block", BlockState)


@user_menu("block")
async def block_by_menu(interaction: Interaction, user: discord.User) -> None:
    """Blocks the person, who is not told."""
    caller = caller_of(interaction)
    MatchError.raise_if(user.id == caller.user, Problem.BLOCKED_SELF)
    await think_beside(interaction)
    await block_person(caller.service, caller.user, user.id)
    sentence = text(caller.locale, "block.done", player=mention_user(user.id, caller.locale))
    await send_answer(interaction, sentence, view=make_view(_unblock_button(caller.locale, user.id)))


@BLOCK_BUTTONS.register_handler("off")
async def unblock_by_button(interaction: Interaction, state: BlockState) -> None:
    """Unblocks the person, and shows who is left in the list."""
    caller = caller_of(interaction)
    await unblock_person(caller.service, caller.user, state.user)
    await turn_to_sheet(interaction, Sheet(BLOCKED_SHEET))


@draws_sheets(BLOCKED_SHEET)
async def show_blocked(interaction: Interaction, request: Sheet) -> RowList:
    """Returns a page of the people whom the reader has blocked, each with a button to unblock them."""
    caller = caller_of(interaction)
    locale, blocked = caller.locale, await people_blocked_by(caller.service.reader, caller.user)
    page = page_of(blocked, request.page, BLOCKED_ON_PAGE)
    rows = [Row(mention_user(user, locale), _unblock_button(locale, user)) for user in page.items]
    buttons = page_buttons(locale, request._replace(page=page.number), page.pages)
    return RowList(text(locale, "block.title" if rows else "block.nobody"), rows, page.footer(locale), buttons)


def _unblock_button(locale: Language, user: int) -> Button:
    return BLOCK_BUTTONS.make_button("off", BlockState(user), text(locale, "button.unblock"))
