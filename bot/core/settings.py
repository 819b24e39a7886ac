"""The settings of people and servers, each declared once; and people's vacations. Pure.

A setting is a field of `UserSettings` or `GuildSettings`. From its annotation come its place in the panel, its menu or
form, where it is stored, what the doctor looks at, and its line in the export. Its words stand in the catalogues, below
"setting" for people and "server" for servers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import Enum
from typing import Annotated, Any, Literal, TypeVar, get_type_hints

from bot.core.clock import DAY, Habits, Pace, Span, Weekdays
from bot.core.problems import MatchError, Problem
from bot.core.setting_kinds import (
    FreeDays,
    LanguageName,
    OneChannel,
    OneOf,
    Paragraph,
    SettingKind,
    SleepWindow,
    SomeChannels,
    Switch,
    ZoneName,
    member_of,
    one_of,
    zone_named,
)
from render import THEMES
from rules import Seat, Variant

SettingsT = TypeVar("SettingsT", bound="UserSettings | GuildSettings")


@dataclass(frozen=True, slots=True)
class Setting:
    """What a field's annotation says of a setting. What is empty here is filled in by `_settings_of`."""

    kind: SettingKind[Any]
    group: str = ""
    """The part of the panel in which it stands; empty for what the bot notes by itself."""
    columns: tuple[str, ...] = ()
    """Its columns in the table of its owner; by default a server's has the field's name, and a person's is a row of
    their preferences, under the setting's name."""
    name: str = ""
    """In custom ids, catalogues and preferences; by default the field's."""
    words: str = ""
    """The key in the catalogues below which its options stand, if not below its own."""
    field: str = ""


MAX_HOUSE_RULES_LENGTH = 1500
"""The most characters of a server's house rules: they must fit into one message with the text around them."""

PLACES_OF_GAMES = ("text", "news", "voice", "stage_voice", "forum")
"""The types of channels in which games are played: also in chats of voice channels and in posts of forums."""

Confirm = Literal["always", "risky", "never"]
"""When to ask before a move: always; if it ends the game or leaves a castle open; never, and never warn."""


class Reminders(Enum):
    """How often a person wants to be reminded of a turn. The values are stored and never change."""

    DEFAULT = "default"  # at half of the bank and six hours before its end
    OFF = "off"
    ONCE = "once"  # at half of the bank
    EVERY_6 = "every-6"
    EVERY_12 = "every-12"
    EVERY_24 = "every-24"

    @property
    def interval_hours(self) -> int | None:
        """The hours between reminders; None if they do not come at intervals."""
        every, _, hours = self.value.partition("-")
        return int(hours) if every == "every" else None


class Sharing(Enum):
    """What others see of a person, on leaderboards and in comparisons."""

    GAMES = "on"  # which also count in the openings of their servers
    RESULTS = "results"
    NOTHING = "off"


class SharingKind(OneOf[Sharing]):
    """The columns are switches, for SQL: whether results are shown, and whether games are used."""

    def __init__(self) -> None:
        super().__init__({way.value: way for way in Sharing})

    def read_columns(self, *stored: object) -> Sharing:
        results, games = stored
        return (Sharing.GAMES if games else Sharing.RESULTS) if results else Sharing.NOTHING

    def column_values(self, value: Sharing) -> tuple[int, int]:
        return int(value is not Sharing.NOTHING), int(value is Sharing.GAMES)


class Threads(Enum):
    """Whether a server's games get threads of their own, where the bot may. The values are stored and never change."""

    YES = "yes"
    NO = "no"
    ASK = "ask"  # the host of the table decides

    def gives_thread(self, *, wanted: bool) -> bool:
        """Whether a game gets a thread; `wanted` is the host's wish."""
        return wanted if self is Threads.ASK else self is Threads.YES


@dataclass(frozen=True, slots=True)
class UserSettings:
    """A person's settings, in every server."""

    board: Annotated[str, Setting(one_of(*THEMES, "text"), "moves")] = "default"
    """The colours of boards: a key of `render.THEMES`; or "text" for boards as text."""
    turned: Annotated[str, Setting(one_of("two", "always", "never"), "moves")] = "two"
    """Whether private boards are turned to them: in games of two, in all games, or never."""
    confirm: Annotated[Confirm, Setting(one_of("always", "risky", "never"), "moves")] = "risky"
    automove: Annotated[bool, Setting(Switch("on", "off"), "moves", ("automove",))] = False
    zone: Annotated[str, Setting(ZoneName(), "time", ("zone",))] = "UTC"
    sleep: Annotated[Span | None, Setting(SleepWindow(), "time", ("sleep_start", "sleep_end"))] = None
    free_days: Annotated[Weekdays, Setting(FreeDays(), "time", ("free_days",), "weekends")] = Weekdays.NONE
    """The days on which their clocks stand still."""
    reminders: Annotated[Reminders, Setting(member_of(Reminders), "reminders", ("reminders",))] = Reminders.DEFAULT
    by_dm: Annotated[bool, Setting(Switch("dm", "channel"), "reminders", ("by_dm",), "reminders-by")] = False
    sharing: Annotated[Sharing, Setting(SharingKind(), "others", ("public", "puzzles"), "public")] = Sharing.GAMES
    language: Annotated[str | None, Setting(LanguageName(), columns=("language",))] = None
    """The language in which they last changed these, for direct messages; None if they want none or it is unknown."""

    @property
    def theme(self) -> str:
        """The key of the colours of pictures. Beside boards as text they have the most contrast."""
        return "contrast" if self.reads_text else self.board

    @property
    def reads_text(self) -> bool:
        """Whether they read boards as text. `play.board.add_board` obeys it, so this is for what is no board."""
        return self.board == "text"

    def bottom_seat(self, variant: Variant, reader: Seat | None) -> Seat:
        """The seat at the bottom of their boards: the reader's if boards are turned to them, else the first one."""
        is_turned = self.turned == "always" or (self.turned == "two" and len(variant.seats) == 2)
        return variant.seats[0] if reader is None or not is_turned else reader

    @property
    def public(self) -> bool:
        """Whether leaderboards and other people's comparisons show them."""
        return self.sharing is not Sharing.NOTHING


@dataclass(frozen=True, slots=True)
class GuildSettings:
    """A server's settings, made by the people who manage it. None keeps the default."""

    pace: Annotated[Pace, Setting(member_of(Pace), "games", words="choice.pace")] = Pace.STANDARD
    threads: Annotated[Threads, Setting(member_of(Threads), "games")] = Threads.YES
    forum: Annotated[int | None, Setting(OneChannel("forum"), "games")] = None
    """The forum where games get posts instead of threads."""
    channels: Annotated[tuple[int, ...], Setting(SomeChannels(*PLACES_OF_GAMES, hosts_games=True), "games")] = ()
    """The channels in which games may be played; empty for all."""
    house: Annotated[bool, Setting(Switch(), "games")] = True
    """Whether there are house players."""
    openings: Annotated[bool, Setting(Switch(), "games")] = True
    """Whether members may look at the openings of the server's finished games."""
    language: Annotated[str | None, Setting(LanguageName(), "server")] = None
    house_rules: Annotated[str, Setting(Paragraph(MAX_HOUSE_RULES_LENGTH), "server")] = ""
    audit: Annotated[int | None, Setting(OneChannel(), "server")] = None
    ladder_channel: Annotated[int | None, Setting(OneChannel(hosts_games=True, is_public=True), "ladders")] = None
    """Where ladder games are played; None for the channel of the request."""
    announcements: Annotated[int | None, Setting(OneChannel(), "ladders")] = None
    puzzle_channel: Annotated[int | None, Setting(OneChannel(), "puzzles")] = None
    """The channel of the daily puzzle."""
    zone: Annotated[str, Setting(ZoneName(), "puzzles")] = "UTC"
    """The zone of the server's days, as stored; `zone_named` gives the zone in use."""
    untold: Annotated[bool, Setting(Switch())] = False
    """Whether the server had changed settings that are gone, and its managers have not been told."""


def _settings_of(owner: type[UserSettings | GuildSettings]) -> dict[str, Setting]:
    settings = dict[str, Setting]()
    for field, hint in get_type_hints(owner, include_extras=True).items():
        (declared,) = hint.__metadata__
        name = declared.name or field.replace("_", "-")
        columns = declared.columns or ((field,) if owner is GuildSettings else ())
        settings[name] = replace(declared, name=name, field=field, columns=columns)
    return settings


SETTINGS: Mapping[type, Mapping[str, Setting]] = {owner: _settings_of(owner) for owner in (UserSettings, GuildSettings)}
"""The settings of people and of servers by name, in the order of the panel."""

DEFAULT_USER_SETTINGS = UserSettings()
"""The settings of somebody who has changed nothing."""

UNTOLD_KEY = "untold"
"""The key stored beside the preferences of somebody who had changed settings that are gone, until they are told."""

LESSON_KEY = "lesson."
"""Begins the keys under which the next lesson of each variant is stored beside the preferences."""


def settings_texts(settings: UserSettings) -> dict[str, str]:
    """Returns the text of every setting by its name, as people choose or type it."""
    return {name: one.kind.format(getattr(settings, one.field)) for name, one in SETTINGS[type(settings)].items()}


# People and their vacations


VACATION_PER_YEAR_S = 30 * DAY
MIN_VACATION_S = DAY


@dataclass(frozen=True, slots=True)
class StoredPerson:
    """A player's settings, and the spans that affect their clock."""

    settings: UserSettings = DEFAULT_USER_SETTINGS
    vacations: tuple[Span, ...] = ()
    absences: tuple[Span, ...] = ()
    """When nobody could be reached in the server of the game in question."""

    @property
    def clock_habits(self) -> Habits:
        """When their clock stands still."""
        settings = self.settings
        return Habits(zone_named(settings.zone), settings.sleep, settings.free_days, self.vacations, self.absences)


def require_vacation(other_vacations: tuple[Span, ...], start: int, end: int) -> Span:
    """The vacation from `start` to `end`. Raises MatchError if it is too long or overlaps another."""
    MatchError.raise_if(any(first < end and start < last for first, last in other_vacations), Problem.ALREADY_AWAY)
    for year in range(_year_of(start), _year_of(end - 1) + 1):
        seconds_left = VACATION_PER_YEAR_S - sum(_seconds_in_year(year, span) for span in other_vacations)
        if _seconds_in_year(year, (start, end)) > seconds_left:
            raise MatchError(Problem.VACATION_SPENT, year=year, left=seconds_left // DAY)
    return start, end


def vacation_left(vacations: tuple[Span, ...], at: int) -> int:
    """The seconds of vacation left in the calendar year of that instant."""
    return VACATION_PER_YEAR_S - sum(_seconds_in_year(_year_of(at), span) for span in vacations)


def end_vacation_now(vacations: tuple[Span, ...], now: int) -> tuple[Span, Span]:
    """Returns the current vacation as it was, and as it is if it ends now: it lasts at least a day.

    Raises MatchError if there is none at the moment.
    """
    for start, end in vacations:
        if start <= now < end:
            return (start, end), (start, min(end, max(now, start + MIN_VACATION_S)))
    raise MatchError(Problem.NOT_AWAY)


def _year_of(instant: int) -> int:
    return datetime.fromtimestamp(instant, UTC).year


def _seconds_in_year(year: int, span: Span) -> int:
    """The seconds of that span in that year, in UTC."""
    first, last = (int(datetime(number, 1, 1, tzinfo=UTC).timestamp()) for number in (year, year + 1))
    return max(0, min(span[1], last) - max(span[0], first))
