"""The refusals of Discord's REST API: status, code, message and, for bad bodies, the wrong field."""

from __future__ import annotations

from enum import Enum


class Code(Enum):
    """The refusals that the sandbox gives, as (code, HTTP status, message).

    Source: the table of JSON error codes in Discord's documentation.
    """

    SERVER_AWAY = (0, 503, "503: Service Unavailable")
    NOT_MODELLED = (0, 404, "404: Not Found")
    UNAUTHORIZED = (0, 401, "401: Unauthorized")
    UNKNOWN_CHANNEL = (10003, 404, "Unknown Channel")
    UNKNOWN_GUILD = (10004, 404, "Unknown Guild")
    UNKNOWN_MEMBER = (10007, 404, "Unknown Member")
    UNKNOWN_MESSAGE = (10008, 404, "Unknown Message")
    UNKNOWN_ROLE = (10011, 404, "Unknown Role")
    UNKNOWN_USER = (10013, 404, "Unknown User")
    UNKNOWN_WEBHOOK = (10015, 404, "Unknown Webhook")
    UNKNOWN_INTERACTION = (10062, 404, "Unknown interaction")
    UNKNOWN_COMMAND = (10063, 404, "Unknown application command")
    OLD_EDITS = (30046, 429, "Maximum number of edits to messages older than 1 hour reached. Try again later")
    ENTITY_TOO_LARGE = (40005, 413, "Request entity too large")
    ALREADY_ANSWERED = (40060, 400, "Interaction has already been acknowledged.")
    TAG_REQUIRED = (40067, 400, "A tag is required to create a forum post in this channel")
    TOO_MANY_FOLLOW_UPS = (40094, 400, "This interaction has hit the maximum number of follow up messages")
    MISSING_ACCESS = (50001, 403, "Missing Access")
    NOT_THE_AUTHOR = (50005, 403, "Cannot edit a message authored by another user")
    EMPTY_MESSAGE = (50006, 400, "Cannot send an empty message")
    CANNOT_MESSAGE_USER = (50007, 403, "Cannot send messages to this user")
    NOT_TEXT = (50008, 400, "Cannot send messages in a non-text channel")
    MISSING_PERMISSIONS = (50013, 403, "Missing Permissions")
    WRONG_CHANNEL_TYPE = (50024, 400, "Cannot execute action on this channel type")
    INVALID_ROLE = (50028, 400, "Invalid role")
    DEAD_TOKEN = (50027, 401, "Invalid Webhook Token")
    INVALID_FORM = (50035, 400, "Invalid Form Body")
    THREAD_ARCHIVED = (50083, 400, "Thread is archived")
    INVALID_JSON = (50109, 400, "The request body contains invalid JSON.")
    THREAD_EXISTS = (160004, 400, "A thread has already been created for this message")
    THREAD_LOCKED = (160005, 403, "Thread is locked")
    TOO_MANY_THREADS = (160006, 400, "Maximum number of active threads has been reached.")

    @property
    def number(self) -> int:
        """Discord's number for this refusal."""
        return self.value[0]


class Refusal(Exception):
    """A request that Discord refuses. `errors` (of INVALID_FORM) nests the wrong field as Discord does."""

    def __init__(self, code: Code, errors: dict[str, object] | None = None) -> None:
        super().__init__(f"{code.number} {code.value[2]}" + (f" {errors}" if errors else ""))
        self.code = code
        self.errors = errors

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.code.value[1]

    def body(self) -> dict[str, object]:
        """Returns the JSON body, in Discord's shape."""
        body: dict[str, object] = {"message": self.code.value[2], "code": self.code.number}
        if self.errors:
            body["errors"] = self.errors
        return body


def invalid(path: str, reason: str, message: str) -> Refusal:
    """Returns the 50035 refusal of the field at the dotted `path` (`components.0.label`)."""
    errors: dict[str, object] = {"_errors": [{"code": reason, "message": message}]}
    for part in reversed(path.split(".") if path else []):
        errors = {part: errors}
    return Refusal(Code.INVALID_FORM, errors)
