"""What the world consists of, as frozen values of Discord's types, replaced as a whole when they change."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .limits.interactions import Kind
from .limits.messages import Flag

Json = dict[str, Any]

REPLY, NEW_THREAD, ANSWER, STARTER = 19, 18, 20, 21
"""Types of messages, as Discord numbers them; STARTER is the first message of a thread that a message started."""


@dataclass(frozen=True, slots=True)
class User:
    """A person, or the bot. `locale` is the language of their client.

    `stranger`: their client knows nobody, as in a large server: it names only people in a message's `mentions`.
    `closed`: they accept no direct messages. `installed`: they have installed the bot for themselves, and can use it in
    servers that it is not a member of.
    """

    id: int
    name: str
    locale: str = "en-US"
    bot: bool = False
    stranger: bool = False
    closed: bool = False
    installed: bool = False


@dataclass(frozen=True, slots=True)
class Role:
    """A role that somebody has made in a server, with the members who hold it; `above`: above the bot's own role;
    `mentionable`: by everybody.
    """

    id: int
    name: str
    permissions: int = 0
    above: bool = False
    holders: tuple[int, ...] = ()
    mentionable: bool = False


@dataclass(frozen=True, slots=True)
class Guild:
    """A server. Its `managers` are the members who hold the moderator's role (Manage Server and the like).

    `nicks`: ids of members with their nicknames.
    `administrators` may do everything, also the bot if it is one.
    `away`: an outage makes it unavailable. `timeouts`: the times until which members can only look, by id.
    Only a `community` can set its language; other servers have American English.
    `roles`: those besides the ones that every server has; `granted`: what the bot's role allows beyond the invitation.
    """

    id: int
    name: str
    locale: str = "en-US"
    members: tuple[int, ...] = ()
    managers: tuple[int, ...] = ()
    nicks: tuple[tuple[int, str], ...] = ()
    administrators: tuple[int, ...] = ()
    away: bool = False
    timeouts: dict[str, float] = field(default_factory=dict)
    community: bool = False
    roles: tuple[Role, ...] = ()
    granted: int = 0

    @property
    def features(self) -> list[str]:
        """Its features, as Discord names them."""
        return ["COMMUNITY"] if self.community else []


TEXT, DIRECT, VOICE, NEWS, NEWS_THREAD, PUBLIC_THREAD, PRIVATE_THREAD, STAGE, FORUM = 0, 1, 2, 5, 10, 11, 12, 13, 15
"""Types of channels, as Discord numbers them; NEWS are announcement channels."""


@dataclass(frozen=True, slots=True)
class Overwrite:
    """What a role or a `member` may do in a channel, other than in the server."""

    id: int
    member: bool
    allow: int = 0
    deny: int = 0


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel or thread of one of the types above. A post of a forum is a public thread below it.

    `tags`: offered by a forum (objects with id, name, moderated …); `needs_tag`: its posts must have one; `applied`:
    ids of a post's tags.

    `members` are a thread's joined members, or the two people of direct messages. Threads have no `overwrites` and use
    their parent's.
    """

    id: int
    guild_id: int | None
    name: str
    type: int = 0
    parent_id: int | None = None
    owner_id: int | None = None
    members: tuple[int, ...] = ()
    archived: bool = False
    locked: bool = False
    archived_at: float = 0.0
    auto_archive: int = 1440
    tags: tuple[Json, ...] = ()
    needs_tag: bool = False
    applied: tuple[int, ...] = ()
    overwrites: tuple[Overwrite, ...] = ()

    @property
    def is_thread(self) -> bool:
        """Whether it is a thread, public or private."""
        return self.type in (NEWS_THREAD, PUBLIC_THREAD, PRIVATE_THREAD)


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file of a message; its bytes lie among the `WorldFiles` under its id. Width and height: of PNG and GIF only."""

    id: int
    filename: str
    size: int
    content_type: str | None = None
    description: str | None = None
    width: int | None = None
    height: int | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """A message. `mentions` are highlighted in it, `pinged` were notified; `only_for`: an ephemeral one's reader.

    `type` is 0 or one of the types above; `interaction_id`: the interaction whose token sent it; `reply_to` of a
    STARTER: the message in the parent channel that started the thread.
    """

    id: int
    channel_id: int
    author_id: int
    at: float
    content: str = ""
    edited: float | None = None
    type: int = 0
    flags: int = 0
    nonce: str | None = None
    attachments: tuple[Attachment, ...] = ()
    components: tuple[Json, ...] = ()
    mentions: tuple[int, ...] = ()
    pinged: tuple[int, ...] = ()
    everyone: bool = False
    reply_to: int | None = None
    only_for: int | None = None
    interaction_id: int | None = None
    thread_id: int | None = None

    def has(self, flag: Flag) -> bool:
        """Returns whether the flag is set."""
        return bool(self.flags & flag)


@dataclass(frozen=True, slots=True)
class Command:
    """An application command as the bot registered it, for all servers."""

    id: int
    version: int
    body: Json


@dataclass(frozen=True, slots=True)
class Interaction:
    """A person's act that the bot must answer. `token` is its secret, `at` its time.

    `answer`: the kind of the first answer, None before it; `message_id`: the message that was clicked; `answer_id`: the
    message `@original`; `placeholder`: it still says "thinking"; `modal`: the form that answered it; `opened_by`: the
    interaction that opened a submitted form.
    """

    id: int
    token: str
    kind: Kind
    person_id: int
    channel_id: int
    at: float
    command: str | None = None
    message_id: int | None = None
    answer: int | None = None
    answer_id: int | None = None
    placeholder: bool = False
    failed: bool = False
    modal: Json | None = None
    opened_by: int | None = None


@dataclass(frozen=True, slots=True)
class ReadMark:
    """How far a person has read a channel: `last` is the newest message they have seen."""

    person_id: int
    channel_id: int
    last: int


Thing = User | Guild | Channel | Message | Command | Interaction | ReadMark


def key_of(thing: Thing) -> str:
    """Returns the key of a thing among its kind."""
    return f"{thing.person_id}:{thing.channel_id}" if isinstance(thing, ReadMark) else str(thing.id)


def stored_name(kind: type[Any]) -> str:
    """Returns the name under which a kind of things is stored. Users keep their name in worlds made earlier."""
    return "Person" if kind is User else kind.__name__


def read_thing(kind: type[Any], body: Json) -> Any:
    """Returns a thing from its JSON. Worlds made earlier have fields that are unknown now."""
    known = {name: body[name] for name in body.keys() & kind.__dataclass_fields__.keys()}
    values: Json = {name: tuple(value) if isinstance(value, list) else value for name, value in known.items()}
    if kind is Message:
        values["attachments"] = tuple(Attachment(**one) for one in values["attachments"])
    if kind is Guild:
        values["roles"] = tuple(Role(**{**one, "holders": tuple(one["holders"])}) for one in values.get("roles", ()))
    if kind is Channel:
        values["overwrites"] = tuple(Overwrite(**one) for one in values.get("overwrites", ()))
    if kind is Interaction:
        values["kind"] = Kind(values["kind"])
    return kind(**values)
