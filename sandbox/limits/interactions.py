"""The time limits of an interaction, and which answers fit which interaction."""

from __future__ import annotations

from enum import IntEnum

from ..errors import Code, Refusal, invalid

ANSWER_WITHIN = 3.0
"""Seconds that the bot has for the first answer."""
TOKEN_LIVES = 15 * 60.0
"""Seconds during which the token of an answered interaction can send and edit messages."""


class Kind(IntEnum):
    """The kinds of interactions, as Discord numbers them."""

    COMMAND = 2
    COMPONENT = 3
    AUTOCOMPLETE = 4
    MODAL = 5


class Answer(IntEnum):
    """The kinds of first answers, as Discord numbers them."""

    MESSAGE = 4
    THINKING = 5
    SILENT = 6
    UPDATE = 7
    CHOICES = 8
    MODAL = 9


_ON_A_MESSAGE = (Answer.SILENT, Answer.UPDATE)
_FITTING = {
    Kind.COMMAND: (Answer.MESSAGE, Answer.THINKING, Answer.MODAL),
    Kind.COMPONENT: (Answer.MESSAGE, Answer.THINKING, *_ON_A_MESSAGE, Answer.MODAL),
    Kind.AUTOCOMPLETE: (Answer.CHOICES,),
    Kind.MODAL: (Answer.MESSAGE, Answer.THINKING, *_ON_A_MESSAGE),
}


def check_answer(
    kind: Kind, answer: object, *, age: float, answered: bool, on_message: bool, within: float = ANSWER_WITHIN
) -> Answer:
    """Returns the kind of the first answer to an interaction that is `age` seconds old.

    `on_message`: the interaction came from a message (a click, or a form that a click opened), which it can
    update. Refusals: 40060 a second answer, 10062 too late, 50035 an answer that does not fit.
    """
    if answered:
        raise Refusal(Code.ALREADY_ANSWERED)
    if age > within:
        raise Refusal(Code.UNKNOWN_INTERACTION)
    if answer not in _FITTING[kind] or (answer in _ON_A_MESSAGE and not on_message):
        raise invalid("type", "INTERACTION_CALLBACK_TYPE_INVALID", "This answer does not fit the interaction.")
    assert isinstance(answer, int)
    return Answer(answer)


def check_token(*, age: float, answered: bool) -> None:
    """Refuses an interaction's token before the first answer (10015) and after 15 minutes (50027)."""
    if not answered:
        raise Refusal(Code.UNKNOWN_WEBHOOK)
    if age > TOKEN_LIVES:
        raise Refusal(Code.DEAD_TOKEN)
