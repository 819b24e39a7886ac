"""A person in the sandbox, driven by a test through the API of the chat page."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Self, TypeVar

import aiohttp

from .shown_messages import Json, Reply, Said

__all__ = ["Json", "Person", "RefusedError", "Reply", "Said", "TooLateError"]

T = TypeVar("T")
WAIT_LIMIT_S = 80.0
"""Seconds that a person waits before the test fails with TimeoutError."""
CHANGED_WITHIN = 5.0
"""Seconds that a person waits for a change after a press with a silent answer."""


class RefusedError(Exception):
    """An act that the sandbox refused, as Discord's client would; `code` says why."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(f"{code}: {text}")
        self.code = code


class TooLateError(AssertionError):
    """A test uses the answer of an interaction that has failed."""


class Person:
    """A person who has the page open. Use it as an async context manager, or call `leave`.

    `channels` are those that they see now, by id. Methods wait for a channel that does not exist yet.
    """

    def __init__(self, http: aiohttp.ClientSession, me: Json) -> None:
        self._http = http
        self._socket: aiohttp.ClientWebSocketResponse | None = None
        self._listening: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()
        self.channels: dict[str, Json] = {}
        self._heard: dict[str, Json] = {}
        self._gone: set[str] = set()
        self._acts: dict[str, Json] = {}
        self._modals: dict[str, Json] = {}
        self._commands: list[Json] = []
        self._since: str | None = None
        self.id = str(me["id"])
        self.name = str(me["name"])
        self.bot_online = False

    @classmethod
    async def join(cls, url: str, name: str) -> Self:
        """Returns the person of this name, connected to the sandbox at `url`."""
        http = aiohttp.ClientSession(base_url=url)
        try:
            async with http.get("/app/people") as response:
                people = (await response.json())["people"]
            person = cls(http, next(one for one in people if one["name"] == name))
            person._socket = await http.ws_connect(f"/app/people/{person.id}/live", max_msg_size=0)
            person._hear(await person._socket.receive_json())
            person._listening = asyncio.create_task(person._listen())
        except BaseException:
            await http.close()
            raise
        return person

    async def leave(self) -> None:
        """Closes the page."""
        if self._socket is not None:
            await self._socket.close()
        if self._listening is not None:
            await self._listening
        await self._http.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        await self.leave()

    async def command(self, channel: str, command: str, /, **options: object) -> Reply:
        """Runs a slash command ("play", or "game end" for a sub-command); options by name, people as `Person`."""
        found, path = await self._command(command)
        values = {name: one.id if isinstance(one, Person) else one for name, one in options.items()}
        body = {"command_id": found["id"], "path": path, "options": values}
        return await self._act(f"{await self._in(channel)}/commands", body)

    async def use_on(self, channel: str, command: str, person: Person) -> Reply:
        """Runs a command of the menu on that person."""
        found, _ = await self._command(command, typed=False)
        return await self._act(f"{await self._in(channel)}/commands", {"command_id": found["id"], "target": person.id})

    async def autocomplete(self, channel: str, command: str, options: Mapping[str, object], focused: str) -> list[str]:
        """Returns the names of the suggestions for the option `focused`, for what is typed so far.

        Raises TimeoutError if the bot does not answer in time.
        """
        found, path = await self._command(command)
        body = {"command_id": found["id"], "path": path, "options": dict(options), "focused": focused}
        answer = await self.call("POST", f"{await self._in(channel)}/autocomplete", body)
        if answer["failed"]:
            raise TimeoutError("no suggestions within three seconds")
        return [str(one["name"]) for one in answer["choices"]]

    async def click(self, message: Said | Reply, label_or_custom_id: str) -> Reply:
        """Presses a button."""
        return await self._use(message, label_or_custom_id, None)

    async def choose(self, message: Said | Reply, custom_id: str, values: Sequence[str | Person]) -> Reply:
        """Chooses in a menu: option values, or people."""
        return await self._use(message, custom_id, [one.id if isinstance(one, Person) else one for one in values])

    async def submit(self, modal: Reply | Json, values: Mapping[str, object]) -> Reply:
        """Submits the form that a reply opened; values by custom_id."""
        opened = modal.modal if isinstance(modal, Reply) else modal
        assert opened is not None, "no form was opened"
        body = {"interaction_id": opened["interaction_id"], "values": dict(values)}
        return await self._act(f"/app/people/{self.id}/modals", body)

    async def say(self, channel: str, text: str) -> Said:
        """Writes a plain message."""
        return Said(await self.call("POST", f"{await self._in(channel)}/messages", {"content": text}))

    async def messages(self, channel: str) -> list[Said]:
        """Returns the last 100 messages there, oldest first, with private answers since the person joined."""
        found = await self.call("GET", f"{await self._in(channel)}/messages?limit=100&since={self._since}")
        return [Said(one) for one in found["messages"]]

    async def pings(self, channel: str) -> int:
        """Returns the number of unread messages there that pinged the person."""
        return int((await self._channel(channel))["pings"])

    async def read(self, channel: str) -> None:
        """Marks everything there as read."""
        await self.call("POST", f"{await self._in(channel)}/read", {})

    async def speak(self, locale: str) -> None:
        """Switches the language of the person's client ("en-US" or "no")."""
        await self.call("PATCH", f"/app/people/{self.id}", {"locale": locale})

    async def commands(self) -> list[Json]:
        """Returns the slash commands, in the person's language."""
        known = (await self.call("GET", f"/app/people/{self.id}/state"))["commands"]
        return [one for one in known if not one["on_people"]]

    async def picture(self, attachment: Json) -> bytes:
        """Returns the bytes of an attachment."""
        async with self._http.get(attachment["url"]) as response:
            response.raise_for_status()
            return await response.read()

    async def wait_for(self, channel: str, predicate: Callable[[Said], bool], timeout: float = WAIT_LIMIT_S) -> Said:  # noqa: ASYNC109 - at the call it reads as what it is
        """Returns the first message there that `predicate` accepts, waiting for it. Raises TimeoutError."""
        number = await self._until(lambda: self._known(channel), timeout)
        for said in await self.messages(number):
            self._heard.setdefault(said.id, said.json)

        def found() -> Said | None:
            heard = (
                Said(one) for key, one in self._heard.items() if one["channel_id"] == number and key not in self._gone
            )
            return next((said for said in heard if predicate(said)), None)

        return await self._until(found, timeout)

    async def wait_until_online(self, timeout: float = WAIT_LIMIT_S) -> None:  # noqa: ASYNC109 - as above
        """Waits until the bot is online and has registered its commands."""
        await self._until(lambda: (self.bot_online and bool(self._commands)) or None, timeout)

    async def call(self, method: str, path: str, body: Json | None = None) -> Any:
        """Sends any request of the page's API, and returns its JSON. Raises RefusedError."""
        async with self._http.request(method, path, json=body) as response:
            answer = await response.json()
        if "error" in answer:
            raise RefusedError(answer["error"]["code"], answer["error"]["text"])
        return answer

    async def find(self, channel: str) -> str:
        """Returns the id of a channel or thread, given its name ("#general", "#7" for "#7 Ada – Bo"), or its
        id. Raises TimeoutError.
        """
        return await self._until(lambda: self._known(channel), WAIT_LIMIT_S)

    async def _command(self, command: str, *, typed: bool = True) -> tuple[Json, list[str]]:
        name, *path = command.split() if typed else [command]

        def found() -> Json | None:
            return next((one for one in self._commands if one["name"] == name), None)

        return await self._until(found, WAIT_LIMIT_S), path

    async def _use(self, message: Said | Reply, label_or_custom_id: str, values: list[str] | None) -> Reply:
        said = message.message if isinstance(message, Reply) else message
        if isinstance(message, Reply) and message.failed:
            raise TooLateError
        assert said is not None, f"there is no message: {message}"
        body: Json = {"custom_id": said.component(label_or_custom_id)["custom_id"]}
        if values is not None:
            body["values"] = values
        return await self._act(f"{await self._in(said.channel_id)}/messages/{said.id}/components", body)

    async def _act(self, path: str, body: Json) -> Reply:
        before = dict(self._heard)
        number = (await self.call("POST", path, body))["interaction_id"]

        def done() -> Json | None:
            act = self._acts.get(number)
            return act if act is not None and act["state"] != "sent" else None

        act = await self._until(done, WAIT_LIMIT_S)
        if act["state"] == "failed":
            return Reply("failed", None)
        if act["answer"] == "modal":
            modal = await self._until(lambda: self._modals.get(number), WAIT_LIMIT_S)
            return Reply("answered", "modal", modal=modal)
        if act["answer"] == "silent":
            return await self._changed_late(act["answer_id"], before)
        if act["answer_id"] is None:
            return Reply("answered", act["answer"])
        return await self._until(lambda: self._answered(act), WAIT_LIMIT_S)

    async def _changed_late(self, number: str, before: Mapping[str, Json]) -> Reply:
        """Returns the reply to a deferred act: the changed message, or a new private one."""

        def changed() -> Reply | None:
            if (shown := self._heard.get(number)) not in (None, before.get(number)):
                return Reply("answered", "update", Said(shown or {}))
            new = (one for key, one in self._heard.items() if key not in before and one["interaction"])
            said = next((one for one in new if one["ephemeral"] and one["state"] != "thinking"), None)
            return Reply("answered", "message", Said(said)) if said else None

        with suppress(TimeoutError):  # only the bot can change a private message; a public one may stay unchanged
            return await self._until(
                changed, WAIT_LIMIT_S if before.get(number, {}).get("ephemeral") else CHANGED_WITHIN
            )
        return Reply("answered", "silent")

    def _answered(self, act: Json) -> Reply | None:
        """Returns the reply once its message has arrived; None before, and while it says "thinking"."""
        if act["answer_id"] in self._gone:
            return Reply("answered", act["answer"])
        heard = self._heard.get(act["answer_id"], {"state": "thinking"})
        return None if heard["state"] == "thinking" else Reply("answered", act["answer"], Said(heard))

    async def _channel(self, channel: str) -> Json:
        number = await self.find(channel)
        state = await self.call("GET", f"/app/people/{self.id}/state")
        return next(one for one in _channels(state) if one["id"] == number)

    def _known(self, channel: str) -> str | None:
        name = channel.removeprefix("#")
        known = self.channels.items()
        named = (key for key, one in known if one["name"] in (name, channel) or one["name"].startswith(f"{channel} "))
        return channel if channel in self.channels else next(named, None)

    async def _in(self, channel: str) -> str:
        return f"/app/people/{self.id}/channels/{await self.find(channel)}"

    async def _until(self, probe: Callable[[], T | None], timeout: float) -> T:  # noqa: ASYNC109 - as above
        async with asyncio.timeout(timeout):
            while (found := probe()) is None:
                self._changed.clear()
                await self._changed.wait()
        return found

    async def _listen(self) -> None:
        assert self._socket is not None
        async for frame in self._socket:
            self._hear(frame.json())

    def _hear(self, event: Json) -> None:
        match event["type"]:
            case "state":
                state = event["state"]
                self.bot_online, self._commands = state["bot"]["online"], state["commands"]
                self._since = self._since or state["last_id"]
                self.channels |= {one["id"]: one for one in _channels(state)}
            case "message":
                self._heard[event["message"]["id"]] = event["message"]
            case "message_deleted":
                self._gone.add(event["id"])
            case "channel":
                self.channels[event["channel"]["id"]] = event["channel"]
            case "channel_deleted":
                self.channels.pop(event["id"], None)
            case "interaction":
                self._acts[event["id"]] = event
            case "modal":
                self._modals[event["interaction_id"]] = event
            case "commands":
                self._commands = event["commands"]
            case "bot":
                self.bot_online = event["online"]
        self._changed.set()


def _channels(state: Json) -> list[Json]:
    return [*state["dms"], *(one for guild in state["guilds"] for one in guild["channels"])]
