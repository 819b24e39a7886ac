"""`/server settings`: what those who manage a server ask for there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import discord
from discord import app_commands
from discord.ext import commands
from discord.ui import TextInput

from bot.commands.app import Asker, app
from bot.commands.ladder import require_open
from bot.commands.options import PACE_CHOICES
from bot.kit.components import FORMS, Action, Button, Nothing, button, given, on
from bot.kit.permissions import require_permissions
from bot.kit.reply import Interaction, answer, here, reader
from bot.kit.slash import choices, command
from bot.people.clock import Pace
from bot.people.settings import LONGEST_MEMBERSHIP, LONGEST_RULES, LONGEST_SEASON, GuildSettings, Threads
from bot.posting.people import require_manager
from bot.texts.i18n import LANGUAGES, Language, language_name, text
from bot.texts.sentences import whole_text

AUTOMATIC = "automatic"
CHANNELS, ANNOUNCEMENTS, AUDIT, HOUSE_RULES = "channels", "announcements", "audit", "house-rules"
LADDER_CHANNEL, FORUM = "ladder-channel", "forum"
REMOVE = "remove"
SHOWN_CHANNELS = 20
"""Channels that the list names before it counts the rest."""


class Channels(app_commands.Transformer):
    """A channel of certain types. discord.py's own forums would be media channels as well, which games are not for."""

    type = discord.AppCommandOptionType.channel

    def __init__(self, *kinds: discord.ChannelType) -> None:
        self._kinds = list(kinds)

    @property
    def channel_types(self) -> list[discord.ChannelType]:
        """What Discord offers."""
        return self._kinds

    async def transform(
        self, interaction: Interaction, value: app_commands.AppCommandChannel, /
    ) -> discord.abc.GuildChannel:
        """The channel that was chosen. Raises ValueError where it is gone by now."""
        found = value.resolve()
        if found is None:
            raise ValueError(value.id)
        return found


Kinds = discord.ChannelType
Forum = app_commands.Transform[discord.ForumChannel, Channels(Kinds.forum)]
Playable = app_commands.Transform[
    discord.abc.GuildChannel, Channels(Kinds.text, Kinds.news, Kinds.voice, Kinds.stage_voice, Kinds.forum)
]
"""Where games can be played: also in the chats of voice channels, and in the posts of a forum."""

Limit = app_commands.Range[int, 1, 1000]


class ServerSettingsCommands(commands.Cog):
    """The settings of a server. Discord hides them from others; servers can change that, so the code checks as well."""

    @command("server settings")
    @app_commands.rename(
        channel_action="channel-action",
        house_rules="house-rules",
        most_open="most-open",
        most_live="most-live",
        ladder_channel="ladder-channel",
        season_weeks="season-weeks",
        membership_days="membership-days",
    )
    @app_commands.choices(
        pace=PACE_CHOICES,
        threads=choices("server.threads", (way.value for way in Threads)),
        channel_action=choices("server.action", ("add", REMOVE)),
        language=[
            *choices("server.language", (AUTOMATIC,)),
            *(app_commands.Choice(name=language_name(code), value=code) for code in LANGUAGES),
        ],
        clear=choices("server.clear", (CHANNELS, ANNOUNCEMENTS, AUDIT, HOUSE_RULES, LADDER_CHANNEL, FORUM)),
    )
    async def server(
        self,
        interaction: Interaction,
        pace: str | None = None,
        threads: str | None = None,
        channel: Playable | None = None,
        channel_action: str = "add",
        language: str | None = None,
        announcements: discord.TextChannel | None = None,
        audit: discord.TextChannel | None = None,
        house_rules: bool = False,
        most_open: Limit | None = None,
        most_live: Limit | None = None,
        ladder_channel: discord.TextChannel | None = None,
        forum: Forum | None = None,
        season_weeks: app_commands.Range[int, 1, LONGEST_SEASON] | None = None,
        membership_days: app_commands.Range[int, 0, LONGEST_MEMBERSHIP] | None = None,
        clear: str | None = None,
    ) -> None:
        """Set what is named, and show everything as it is set then; or open the form for the house rules."""
        require_manager(interaction)
        asker, servers = Asker(interaction), app(interaction).servers
        named: dict[str, Any] = {
            "pace": Pace(pace) if pace else None,
            "threads": Threads(threads) if threads else None,
            "announcements": _writable(announcements) if announcements else None,
            "audit": _writable(audit) if audit else None,
            "most_open": most_open,
            "most_live": most_live,
            "ladder_channel": ladder_channel.id if ladder_channel else None,
            "forum": _writable(forum) if forum else None,
            "season_weeks": season_weeks,
            "membership_days": membership_days,
        }
        wishes = {key: value for key, value in named.items() if value is not None}
        if ladder_channel:
            require_open(interaction, ladder_channel.id)
        if language:
            wishes["language"] = None if language == AUTOMATIC else language

        def change(settings: GuildSettings) -> GuildSettings:
            settings = replace(_cleared(settings, clear), **wishes)
            if channel is None:
                return settings
            return replace(settings, channels=_channels(settings.channels, channel.id, remove=channel_action == REMOVE))

        before = asked = servers.settings(asker.guild)
        if house_rules:
            await interaction.response.send_modal(_house_rules_form(asker.locale, change(before).house_rules))
        else:
            await interaction.response.defer(ephemeral=True, thinking=True)
        if wishes or clear or channel:
            before, asked = await servers.change(asker.guild, change)
        if house_rules:
            return
        said = settings_text(asker.locale, asked, changed=asked != before)
        if asked.season_weeks != before.season_weeks:  # nobody's season becomes longer or shorter while it is played
            said += "\n" + text(asker.locale, "server.season-weeks.next")
        await answer(interaction, said)


def _cleared(settings: GuildSettings, what: str | None) -> GuildSettings:
    """The settings without what is to be taken away."""
    if what is None:
        return settings
    field = what.replace("-", "_")
    return replace(settings, **{field: getattr(GuildSettings(), field)})


def _channels(known: tuple[int, ...], channel: int, *, remove: bool) -> tuple[int, ...]:
    return tuple(one for one in known if one != channel) if remove else (*known, channel)


def _writable(channel: discord.TextChannel | discord.ForumChannel) -> int:
    """The channel's number. Raises CannotPost where the bot may not write there."""
    require_permissions(channel.permissions_for(channel.guild.me), channel)
    return channel.id


def _house_rules_form(locale: Language, present: str) -> discord.ui.Modal:
    field: TextInput[discord.ui.View] = TextInput(
        style=discord.TextStyle.paragraph,
        custom_id="rules",
        default=present,
        required=False,
        max_length=LONGEST_RULES,
    )
    title, hint = text(locale, "server.house-rules.name"), text(locale, "server.house-rules.hint")
    return FORMS.form(HOUSE_RULES, Nothing(), title, title, hint, field)


@FORMS.on(HOUSE_RULES)
async def set_house_rules(interaction: Interaction, _: Nothing) -> None:
    """Keep what was typed; nothing takes the rules away."""
    require_manager(interaction)
    await interaction.response.defer(ephemeral=True, thinking=True)
    asker, rules = Asker(interaction), given(interaction).strip()
    servers = app(interaction).servers
    asked = (await servers.change(asker.guild, lambda settings: replace(settings, house_rules=rules))).after
    await answer(interaction, settings_text(asker.locale, asked, changed=True))


@on(HOUSE_RULES)
async def show_house_rules(interaction: Interaction, _: Action) -> None:
    """Show the house rules from the button below the help or a rulebook."""
    asker = Asker(interaction)
    rules = app(interaction).servers.settings(asker.guild).house_rules
    key = "server.house-rules.shown" if rules else "server.house-rules.none"
    await answer(interaction, text(asker.locale, key, rules=whole_text(rules)))


def house_rules_button(interaction: Interaction) -> list[Button]:
    """The button that opens the server's house rules, if it has any."""
    guild = here(interaction) or 0
    return [button(reader(interaction), HOUSE_RULES)] if app(interaction).servers.settings(guild).house_rules else []


def settings_text(locale: Language, settings: GuildSettings, *, changed: bool) -> str:
    """Every setting of a server and what it is set to, a line each."""
    nothing = text(locale, "server.none")
    values = {
        "pace": text(locale, f"choice.pace.{settings.pace.value}"),
        "threads": text(locale, f"server.threads.{settings.threads.value}"),
        "forum": f"<#{settings.forum}>" if settings.forum else nothing,
        "channels": _channel_list(locale, settings.channels),
        "language": language_name(settings.language)
        if settings.language
        else text(locale, "server.language.automatic"),
        "announcements": f"<#{settings.announcements}>" if settings.announcements else nothing,
        "audit": f"<#{settings.audit}>" if settings.audit else nothing,
        "house-rules": text(locale, "server.house-rules.set") if settings.house_rules else nothing,
        "most-open": str(settings.most_open),
        "most-live": str(settings.most_live),
        "ladder-channel": f"<#{settings.ladder_channel}>" if settings.ladder_channel else nothing,
        "season-weeks": str(settings.season_weeks),
        "membership-days": str(settings.membership_days),
    }
    title = text(locale, "server.changed" if changed else "server.title")
    lines = [
        text(locale, "settings.line", name=text(locale, f"server.{key}.name"), value=value)
        for key, value in values.items()
    ]
    return "\n".join([title, *lines, *([] if changed else [text(locale, "server.how")])])


def _channel_list(locale: Language, channels: tuple[int, ...]) -> str:
    if not channels:
        return text(locale, "server.channels.any")
    shown = " ".join(f"<#{channel}>" for channel in channels[:SHOWN_CHANNELS])
    more = len(channels) - SHOWN_CHANNELS
    return f"{shown} {text(locale, 'server.channels.more', count=more)}" if more > 0 else shown
