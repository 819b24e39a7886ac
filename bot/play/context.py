"""The context of all posts (client, services, pictures, background tasks), the hooks of features, and the buttons of a
game."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Coroutine, Hashable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, NamedTuple, TypeVar
from weakref import WeakValueDictionary

import discord
from cachetools import LRUCache
from discord import ButtonStyle, app_commands
from discord.ext.commands import CogMeta

from bot.core.draft import format_path, parse_path
from bot.core.house_seats import is_person
from bot.core.match import Match, MessageRef
from bot.core.ratings import RatingEffects
from bot.core.timings import Timings
from bot.discordkit.components import Button, CountField, Family, FieldFormat, KeyField, NonceField
from bot.discordkit.fair_thread import QuestionTurns
from bot.discordkit.gateway import is_connected, lost_shards
from bot.discordkit.metrics import Metrics
from bot.discordkit.reply import MAX_MESSAGE_LENGTH, NO_MENTIONS, Controls, Interaction, make_view
from bot.discordkit.slash import Command, TopLevel, group_commands
from bot.play.background import BackgroundTasks, Pictures
from bot.play.engine import Engine
from bot.play.known_servers import DisplayNames, ServerSettings
from bot.play.limits import ActCounts
from bot.play.service import Service
from bot.play.service.matches import StoredFeature
from bot.store import Job, Writer
from bot.texts.i18n import Language, text
from bot.texts.markup import cut_text
from rules.board import Cell


def pinging_only(users: Iterable[int]) -> discord.AllowedMentions:
    """Returns mentions that ping those people and nobody else. Numbers that are not people's are left out."""
    users_called = [discord.Object(user) for user in dict.fromkeys(users) if is_person(user)]
    return discord.AllowedMentions(everyone=False, roles=False, users=users_called)


def users_pinged(ping: discord.AllowedMentions) -> frozenset[int]:
    """Returns the people that a result of `pinging_only` may ping."""
    return frozenset(user.id for user in ping.users) if isinstance(ping.users, Sequence) else frozenset()


DELETED_CHANNELS_REMEMBERED = 10_000
"""Deleted channels and threads to remember, so that Discord is asked about each only once."""
MOVES_ASKED_REMEMBERED = 1_000
"""People of whom is remembered about which move they were asked."""


class RemarkPlace(Enum):
    """Where remarks on a match are shown."""

    BOARD = "board"
    """Below a private board of the match in its current state."""
    COMPOSER = "composer"
    """Below the board on which the player to move makes a move."""


class ButtonPlace(Enum):
    """Where buttons of features are shown."""

    BOARD = "board"
    """Below a board of a started game, posted or private."""
    END = "end"
    """Below the boards of a finished game in which somebody has moved."""
    COMPOSER = "composer"
    """Beside the board on which the player to move makes a move."""
    MORE = "more"
    """In the private panel that **More** below a board opens, for anybody who sees the match."""


class UseOfLine(NamedTuple):
    """What can be done with a line that a person has tried by themselves."""

    propose: Callable[[Interaction, Match, str], Awaitable[None]]
    """Answers a deferred interaction, given the match and a line that starts where it stands."""
    is_possible: Callable[[Match, int, str], bool]
    """Returns True if that user can do it with that line."""


@dataclass(frozen=True)
class Done:
    """A job is done."""

    store: Callable[[Writer], Awaitable[None]] | None = None
    """What is stored with its end."""
    again_at: int | None = None
    """When it is due again; None if it is over."""
    edited: int | None = None
    """The message that it edited: Discord accepts fewer edits of old ones."""


@dataclass(frozen=True)
class GiveUp(Done):
    """A job cannot be done. What is stored with its end is news for those who have to know."""

    why: str = ""
    """The reason for the log."""


class Later(NamedTuple):
    """A job has to wait: until a time, or for a pause that is longer each time."""

    at: int | None = None
    why: str = "failed, as the log says"
    """The reason for operators."""


Outcome = Done | Later


class JobKind(NamedTuple):
    """What is done for the jobs of a kind."""

    kind: str
    run: Callable[[BotContext, Job], Awaitable[Outcome]]
    """Does a job. An error of Discord's that may pass counts as `Later`, any other as `GiveUp`; a bug as `Later`."""
    is_edit: bool = False
    """True if the key begins with a channel, a colon, and the message or what else is edited in it. Edits in a channel
    follow each other, other jobs those of their kind."""
    lane: str = ""
    """If not empty, jobs of this lane about the same thing, with whose number their keys begin, follow each other."""
    is_kept: bool = False
    """True if it is tried until it succeeds: an error of Discord's that may not pass counts as `Later`, too."""
    in_timeout: bool = False
    """True if it is also done while the bot has a timeout in the server, which keeps it from posting and editing."""


class OnTick(NamedTuple):
    """Work done at a tick, after the ticks of the matches. A failure stops nothing else."""

    name: str
    """Its name in the log."""
    run: Callable[[BotContext, int], Coroutine[Any, Any, object]]
    """Does it, given the time."""
    every_s: int = 0
    """The least seconds between two runs; 0 for one at each tick."""


class Posting(NamedTuple):
    """An outbox that is asked for due announcements after each tick and when there is news."""

    name: str
    make: Callable[[BotContext], Any]
    """Makes the `Outbox`, which keeps nothing: a command that announces at once makes its own."""


Work = OnTick | Posting | JobKind | CogMeta
"""Also a class of cogs, which are made with the context before the login."""
WorkT = TypeVar("WorkT")


class Ended(NamedTuple):
    """A finished match whose end is announced, or that a person looks at later, without its ratings."""

    match: Match
    ratings: RatingEffects | None = None


class PersonShown(NamedTuple):
    """A person about whom a list of games or a profile is shown in a server."""

    guild: int
    user: int
    in_profile: bool = False


class Notes(NamedTuple):
    """What stands below something that is shown: lines, and buttons that depend on what is stored about it."""

    lines: list[str]
    buttons: Sequence[Button] = ()
    brought: str = ""
    """What a result that is announced has brought: it ends the words on how the game ended."""


AddNotes = Callable[["BotContext", Language, Ended | PersonShown, Notes], Awaitable[Notes]]
"""Returns the notes on a finished match or a person, given those so far: about ratings, and of earlier
features."""


@dataclass(frozen=True, eq=False)
class Feature(StoredFeature):
    """A subject in a folder of its own, and its hooks into the rest. `bot/features.py` lists the features.

    `bot.core` and `bot.play` import no feature: they call these hooks, in the order of the list. Each hook has at least
    two users. What only one feature has to say in the middle of their work stands in core, store or play, as plans do.
    """

    remark: Callable[[Interaction, Match, RemarkPlace], Awaitable[str]] | None = None
    """Returns lines for the person who sees a match in that place; empty if there is nothing to say."""
    match_buttons: Callable[[Language, Match, ButtonPlace], Sequence[Button]] = lambda *_: ()
    """Returns its buttons for a match in that place."""
    add_notes: AddNotes | None = None
    """Called when the end of a match is announced, and for each view of a finished match or a person."""
    work: Sequence[Work] = ()
    """What it does by itself, and for the jobs that it stores."""


DeclaredT = TypeVar("DeclaredT")


def declared(features: Iterable[Feature], kind: type[DeclaredT]) -> list[DeclaredT]:
    """Returns what the modules of these features declare of a kind, such as `Family`; each once."""
    modules = [module for feature in features for module in feature.modules]
    return [*dict.fromkeys(value for module in modules for value in vars(module).values() if isinstance(value, kind))]


def feature_work(features: Iterable[Feature], kind: type[WorkT]) -> list[WorkT]:
    """Returns the work of that kind of all features."""
    return [work for feature in features for work in feature.work if isinstance(work, kind)]


TOP_LEVELS = {
    "play": TopLevel(),
    "move": TopLevel(),
    "board": TopLevel(),
    "games": TopLevel(private=True),
    "game": TopLevel(first=("resign", "draw", "history", "replay", "review", "why")),
    "me": TopLevel(private=True, first=("settings",)),
    "learn": TopLevel(private=True, first=("lessons",)),
    "help": TopLevel(private=True),
    "referee": TopLevel(managers=True),
    "server": TopLevel(managers=True),
    "ladder": TopLevel(first=("show", "join", "queue", "challenge")),
    "league": TopLevel(first=("table", "join")),
    "plan": TopLevel(private=True),
    "puzzle": TopLevel(private=True),
}
"""The first words of all commands, also of features. Only they decide where Discord offers a command, so there are few.
"""


def every_command(features: Sequence[Feature]) -> list[Command | app_commands.Group | app_commands.ContextMenu]:
    """Returns all commands as Discord registers them: single commands, groups, and the menu on people."""
    commands = map(copy, declared(features, app_commands.Command))  # each client puts its own into groups
    return [*group_commands(commands, TOP_LEVELS), *declared(features, app_commands.ContextMenu)]


async def feature_notes(context: BotContext, locale: Language, about: Ended | PersonShown, *lines: str) -> Notes:
    """Returns those lines and the notes of all features."""
    notes = Notes([*lines])
    for feature in context.features:
        notes = await feature.add_notes(context, locale, about, notes) if feature.add_notes else notes
    return notes


def feature_buttons(features: Iterable[Feature], locale: Language, match: Match, place: ButtonPlace) -> list[Button]:
    """Returns the buttons of all features for that match in that place."""
    return [button for feature in features for button in feature.match_buttons(locale, match, place)]


MatchField = Annotated[int, FieldFormat(r"\d{1,15}", int, is_checked=True)]
"""The number of a game, which a press is about only if the person may see that game."""


class Action(NamedTuple):
    """The state that most buttons carry."""

    match: MatchField = 0
    number: CountField = 0
    """The number of changes to the board, a ply, or the event that is answered."""
    variant: KeyField = "-"
    """The variant of the rulebook or ladder."""


MAX_CELLS_CARRIED = 28
"""Landings that always fit into a custom id, however large the numbers of the match and its board are."""

EndField = Annotated[
    Cell | None,
    FieldFormat(
        "[0-9a-z]{2}|-",
        lambda code: None if code == "-" else parse_path(code)[0],
        lambda cell: "-" if cell is None else format_path([cell]),
    ),
]
PathField = Annotated[str, FieldFormat(rf"(?:[0-9a-z]{{2}}){{0,{MAX_CELLS_CARRIED}}}")]


class ComposerState(NamedTuple):
    """The state of a panel of the composer: the match, and the part of the move that is chosen."""

    match: MatchField
    board_version: CountField
    """The match's board version when the panel was drawn. A ply number returns after a takeback, a
    version never does.
    """
    end: EndField = None
    """The chosen destination, if several routes lead to it."""
    path: PathField = ""
    """The landings as `format_path` writes them."""
    fresh: NonceField = ""
    """In menus, what makes their ids new. In the button of one of several ways, the number of the way, in two digits
    as a cell is written: buttons need no new ids.
    """


COMPOSER = Family("rt-press", ComposerState)
"""The composer's buttons and menus. The button "open" stands below the boards that the bot posts."""


class GameMenuState(NamedTuple):
    """The game about which a menu or form asks."""

    match: MatchField
    fresh: NonceField = ""


ACTIONS = Family("rt", Action)
"""Makes the buttons. Each module that answers some of them has a family of its own with this prefix."""


def action_button(
    locale: Language, name: str, *, label: str | None = None, primary: bool = False, danger: bool = False, **values: Any
) -> Button:
    """Returns a button labelled in that language. `values` are the fields of its `Action`."""
    style = ButtonStyle.primary if primary else ButtonStyle.secondary
    if danger:
        style = ButtonStyle.danger
    return ACTIONS.make_button(name, Action(**values), text(locale, f"button.{label or name}"), style)


MakeFile = Callable[[], discord.File]
"""Makes a fresh upload, since an upload may be sent only once."""


@dataclass(frozen=True)
class Post:
    """A composed message, which only has to be sent."""

    channel: int
    guild: int
    content: str
    nonce: str = ""
    """A value that is equal for each attempt, so that Discord drops a repeated post; empty for an edit."""
    ping: discord.AllowedMentions = NO_MENTIONS
    buttons: Controls = ()
    files: Sequence[MakeFile] = ()


class BotContext:
    """What commands, posts and background work need, one for each client. Commands never ask the client directly."""

    def __init__(
        self,
        client: discord.Client,
        service: Service,
        pictures: Pictures,
        metrics: Metrics,
        features: Sequence[Feature],
        timings: Timings,
    ) -> None:
        self.client = client
        self.service = service
        self.pictures = pictures
        self.metrics = metrics
        self.features = features
        self.timings = timings
        self.engine = Engine(timings)
        self.servers = ServerSettings(client, service)
        self.background = BackgroundTasks()
        self.names = DisplayNames(client, self.servers, self.background, timings)
        self.question_turns = QuestionTurns(timings)
        self.review_turns = QuestionTurns(timings)
        """Turns for questions on which the engine spends a minute. A person may ask others in the meantime."""
        self.act_counts = ActCounts()
        self.allowed_servers: Collection[int] | None = None
        """The servers that the host has allowed; None for all."""
        self.announcements_due = asyncio.Event()
        """Set when something is to be announced although no interaction waits for it. The ticker posts it."""
        self.jobs_due = asyncio.Event()
        """Set when something has asked for a job. `bot.play.announcing.ticker` does it."""
        self.deleted: LRUCache[int, bool] = LRUCache(DELETED_CHANNELS_REMEMBERED)
        """The channels and threads known to be deleted, which never return."""
        self.outbox_locks: WeakValueDictionary[Hashable, asyncio.Lock] = WeakValueDictionary()
        """The locks of `Outbox.subject_lock`."""
        self.moves_asked: LRUCache[int, ComposerState] = LRUCache(MOVES_ASKED_REMEMBERED)
        """The typed move about which each person was asked last."""
        self.composed_since: dict[int, float] = {}
        """When composing a post began, by game. Only this program keeps these posts waiting."""

    @property
    def seconds_late(self) -> float:
        """Seconds for which the post that is longest in the making has waited for this program alone."""
        now_s = asyncio.get_running_loop().time()
        return now_s - min(self.composed_since.values(), default=now_s)

    def reaches_server(self, guild: int) -> bool:
        """True if the bot is in that server, Discord reports no outage of it, and the connection for it stands."""
        server = self.client.get_guild(guild)
        return server is not None and not server.unavailable and server.shard_id not in lost_shards(self.client)

    def is_connected(self) -> bool:
        """True if the bot is connected to Discord, and nobody else runs in its place."""
        return is_connected(self.client) and self.service.store.unavailable_reason is None

    @property
    def is_partly_connected(self) -> bool:
        """Whether some of several connections are lost, so that only their servers wait."""
        return bool(lost_shards(self.client))

    def has_house(self, guild: int) -> bool:
        """True if house players may play in that server."""
        return self.servers.settings_of(guild).house

    def server_language(self, guild: int) -> Language:
        """Returns the language of public posts in that server."""
        return self.servers.language_of(guild)

    async def send_post(self, post: Post) -> discord.Message:
        """Posts a new message, silently if it pings nobody.

        Mentions the people in its `ping` and spells the names of all others: see `DisplayNames.spell_names`. Discord
        drops a second message with the same nonce within minutes.
        """
        content = await self.names.spell_names(post.guild, post.content, users_pinged(post.ping))
        return await self.client.get_partial_messageable(post.channel).send(
            cut_text(content, MAX_MESSAGE_LENGTH),
            files=[make_file() for make_file in post.files],
            view=make_view(*post.buttons) if post.buttons else discord.utils.MISSING,
            allowed_mentions=post.ping,
            nonce=post.nonce,
            silent=not (post.ping.users or post.ping.roles),
        )

    def partial_message(self, post: MessageRef) -> discord.PartialMessage:
        """Returns a handle for editing that message."""
        return self.client.get_partial_messageable(post.channel).get_partial_message(post.message)
