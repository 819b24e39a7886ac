"""Sends people who have the page open every event as each of them sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from aiohttp import web

from . import views
from .discord_types import Channel, Guild, Interaction, Json, Message, User
from .permissions import can_see
from .sockets import OutboxSocket, dumps, open_socket
from .world import World

_GOING_AWAY = 1001


class Live:
    """The WebSockets of the page."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._sockets: dict[int, set[OutboxSocket]] = {}
        self.bot_online = False

    async def serve(self, request: web.Request, me: User) -> web.WebSocketResponse:
        """Sends a person the whole state, then every event, until they leave."""
        sockets = self._sockets.setdefault(me.id, set())
        async with open_socket(request, sockets) as socket:
            state = views.state(self._world, self._world.person(me.id), online=self.bot_online)
            socket.say(dumps({"type": "state", "state": state}))
            async for _ in socket.websocket:  # the page sends nothing; reading notices its end
                pass
        return socket.websocket

    def close(self) -> None:
        """Closes every socket."""
        for sockets in self._sockets.values():
            for socket in tuple(sockets):
                socket.hang_up(_GOING_AWAY)

    def message(self, message: Message, *, new: bool) -> None:
        """Sends a new or edited message. One with a thread is also the first that is shown there."""
        for me in self._watching():
            if views.visible(self._world, me, message):
                shown = views.message(self._world, me, message)
                self._tell(me, {"type": "message", "new": new, "message": shown})
                if new:
                    self.counts(me, self._world.channel(message.channel_id))
        if not new and message.thread_id is not None:
            for starter in self._world.messages(message.thread_id)[:1]:
                self.message(starter, new=False)
        if new and message.pinged:
            for person_id in message.pinged:
                self.person(self._world.person(person_id))

    def counts(self, me: User, where: Channel) -> None:
        """Sends a person their unread counts of a channel."""
        self._tell(me, {"type": "channel", "channel": views.channel(self._world, me, where)})

    def message_deleted(self, message: Message) -> None:
        """Sends the end of a message."""
        gone = {"type": "message_deleted", "channel_id": str(message.channel_id), "id": str(message.id)}
        self._tell_all(gone, lambda me: message.only_for in (None, me.id))

    def channel(self, channel: Channel) -> None:
        """Sends a new or changed channel."""
        for me in self._watching():
            if can_see(self._world, me, channel):
                self.counts(me, channel)

    def channel_deleted(self, channel: Channel) -> None:
        """Sends the end of a channel."""
        guild_id = str(channel.guild_id) if channel.guild_id else None
        self._tell_all({"type": "channel_deleted", "id": str(channel.id), "guild_id": guild_id})

    def interaction(self, asked: Interaction) -> None:
        """Sends the person of an interaction that it was sent, answered, or has failed."""
        self._tell(self._world.person(asked.person_id), views.interaction(asked))

    def modal(self, asked: Interaction) -> None:
        """Opens a form for the person whose interaction it answers."""
        event = {"type": "modal", "interaction_id": str(asked.id), "channel_id": str(asked.channel_id)}
        self._tell(self._world.person(asked.person_id), {**event, "modal": asked.modal})

    def commands(self) -> None:
        """Sends the commands, in each person's language."""
        for me in self._watching():
            self._tell(me, {"type": "commands", "commands": views.commands(self._world, me)})

    def person(self, who: User) -> None:
        """Sends a new or changed person."""
        self._tell_all({"type": "person", "person": views.person(self._world, who)})

    def state(self, who: User) -> None:
        """Sends a person the whole state again: they have joined or left a server, or have other rights in it."""
        self._tell(who, {"type": "state", "state": views.state(self._world, who, online=self.bot_online)})

    def guild(self, guild: Guild) -> None:
        """Sends a server's changed settings."""
        self._tell_all({"type": "guild", "guild": views.guild_settings(guild)})

    def presence(self, *, online: bool) -> None:
        """Sends that the bot has gone online or offline."""
        if online != self.bot_online:
            self.bot_online = online
            self._tell_all({"type": "bot", "online": online})

    def _watching(self) -> Iterator[User]:
        for person_id, sockets in tuple(self._sockets.items()):
            if sockets:
                yield self._world.person(person_id)

    def _tell_all(self, event: Json, concerns: Callable[[User], bool] = lambda _: True) -> None:
        for me in filter(concerns, self._watching()):
            self._tell(me, event)

    def _tell(self, who: User, event: Json) -> None:
        text = dumps(event)
        for socket in self._sockets.get(who.id, ()):
            socket.say(text)
