"""Buttons, menus and forms: what their custom ids carry, and which function answers them.

A message stays in its channel for years, across many restarts. So the custom id carries everything that an answer
needs, nothing about a component is kept in memory, and an id that was sent once must be understood permanently.
"""

from __future__ import annotations

import re
import string
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Generic, NamedTuple, TypeAlias, TypeVar, get_type_hints

from discord import ButtonStyle, ChannelType, SelectDefaultValue, SelectDefaultValueType, SelectOption, TextStyle, ui

from bot.discordkit.errors import NO_SUCH_BUTTON, Declined
from bot.discordkit.reply import Interaction
from bot.texts.markup import cut_plain

MAX_ID_LENGTH = 100
"""Characters in a custom id: Discord's limit."""
MAX_OPTION_LENGTH = 100
"""Characters in the label and in the description of a menu's option."""
MAX_FORM_TEXT = 4000
"""Characters that a form has room for: Discord's limit."""
LARGEST_ID = 2**63 - 1
"""No id or number of ours or Discord's is larger; what a menu sends may be."""

Button: TypeAlias = ui.Button[Any]
Menu: TypeAlias = ui.Select[Any]

State = TypeVar("State", bound=tuple[object, ...])
Acknowledge: TypeAlias = Callable[[Interaction], Coroutine[Any, Any, None]]
ComponentHandler: TypeAlias = Callable[[Interaction, State], Coroutine[Any, Any, None]]


class FieldFormat(NamedTuple):
    """How one field of a state is written. The pattern has no capturing groups and never matches ":"."""

    pattern: str
    read: Callable[[str], object] = str
    write: Callable[[object], str] = str
    later: bool = False
    """True if ids from older versions lack the field. Such a field stands last, and its default is not written."""
    is_checked: bool = False
    """True if it is the number of something that not everybody may see: see `Family.checked_number`."""


IdField = Annotated[int, FieldFormat(r"\d{1,15}", int)]
CountField = Annotated[int, FieldFormat(r"\d{1,6}", int)]
UserField = Annotated[int, FieldFormat(r"-?(?:[1-8]\d{18}|\d{1,18})", int)]  # which every database can hold
KeyField = Annotated[str, FieldFormat(r"[a-z0-9-]{1,20}")]
NonceField = Annotated[str, FieldFormat("[0-9a-z]{2}", later=True)]
"""Makes the id of a menu different each time the menu is shown.

Discord's clients remember a menu's choice by its id: choosing the same option again would send nothing.
"""


def menu_nonce(interaction: Interaction) -> str:
    """Returns a `NonceField` for the menus shown in answer to that interaction."""
    digits = string.digits + string.ascii_lowercase
    first, last = divmod((interaction.id >> 22) % 36**2, 36)  # the time of the interaction, in milliseconds
    return digits[first] + digits[last]


class Family(Generic[State]):
    """Components that share a prefix and a type of state. A custom id is the prefix, a name and the state.

    The name is empty in a family that has only one component. A command module decorates the function that answers with
    `@FAMILY.register_handler("name")`. Two modules that answer components of one prefix have a family each.
    """

    def __init__(self, prefix: str, state: Callable[..., State]) -> None:
        self.prefix = prefix
        self.handlers: dict[str, ComponentHandler[State]] = {}
        self._make = state
        hints = get_type_hints(state, include_extras=True)
        self._names, self._fields = [*hints], [hint.__metadata__[0] for hint in hints.values()]
        signs = (f"{':' if number else ''}({field.pattern})" for number, field in enumerate(self._fields))
        self._pattern = re.compile(
            "".join(f"(?:{sign})?" if field.later else sign for field, sign in zip(self._fields, signs, strict=True))
        )

    def register_handler(
        self, name: str = "", first: Acknowledge | None = None
    ) -> Callable[[ComponentHandler[State]], ComponentHandler[State]]:
        """Registers the function that answers the components of that name. `first` acknowledges the press before the
        function is called: `think_beside` if it answers in a new message, `acknowledge_press` if in the same one.
        """

        def add_handler(handler: ComponentHandler[State]) -> ComponentHandler[State]:
            assert name not in self.handlers, name
            self.handlers[name] = partial(_answer_after, first, handler) if first else handler
            return handler

        return add_handler

    def format_state(self, state: State) -> str:
        """Returns the state as text."""
        return ":".join(
            field.write(value) for field, value in zip(self._fields, state, strict=True) if value or not field.later
        )

    def parse_state(self, text: str) -> State | None:
        """Returns the state that the text stands for; None if the text is malformed."""
        match = self._pattern.fullmatch(text)
        if match is None:
            return None
        values = zip(self._names, self._fields, match.groups(), strict=True)
        return self._make(**{name: field.read(value) for name, field, value in values if value is not None})

    def checked_number(self, state: State) -> int:
        """Returns the number of what the presser has to be allowed to see; 0 if the state names nothing of the kind."""
        checked = (value for field, value in zip(self._fields, state, strict=True) if field.is_checked)
        return next((number for number in checked if isinstance(number, int)), 0)

    def format_id(self, name: str, state: State) -> str:
        """Returns the custom id for that name and state."""
        text = ":".join(part for part in (self.prefix, name, self.format_state(state)) if part)
        assert len(text) <= MAX_ID_LENGTH, text
        return text

    def parse_id(self, custom_id: str) -> tuple[str, State] | None:
        """Returns the name and the state in a custom id; None if it belongs to another family or is malformed."""
        prefix, _, rest = custom_id.partition(":")
        name, _, fields = ("", "", rest) if "" in self.handlers else rest.partition(":")
        state = self.parse_state(fields) if prefix == self.prefix else None
        return None if state is None else (name, state)

    def make_button(self, name: str, state: State, label: str, style: ButtonStyle = ButtonStyle.secondary) -> Button:
        """Returns a button of this family."""
        return ui.Button(label=label[:80], style=style, custom_id=self.format_id(name, state))

    def make_menu(
        self,
        name: str,
        state: State,
        options: Sequence[SelectOption],
        placeholder: str | None = None,
        most: int | None = None,
    ) -> Menu:
        """Returns a menu of this family. One option is chosen from it, or with `most`, any number from 0 to `most`."""
        return ui.Select(
            custom_id=self.format_id(name, state),
            options=list(options),
            placeholder=placeholder,
            min_values=1 if most is None else 0,
            max_values=most or 1,
        )

    def make_channel_menu(
        self,
        name: str,
        state: State,
        present: Sequence[int],
        most: int,
        kinds: Sequence[ChannelType],
        placeholder: str | None = None,
    ) -> ui.ChannelSelect[Any]:
        """Returns a menu of the server's channels of these types: 0 to `most` are chosen, `present` are
        chosen already.
        """
        default_values = [
            SelectDefaultValue(id=channel, type=SelectDefaultValueType.channel) for channel in present[:most]
        ]
        return ui.ChannelSelect(
            custom_id=self.format_id(name, state),
            channel_types=list(kinds),
            placeholder=placeholder,
            min_values=0,
            max_values=most,
            default_values=default_values,
        )

    def make_role_menu(
        self, name: str, state: State, present: int | None, placeholder: str | None = None
    ) -> ui.RoleSelect[Any]:
        """Returns a menu of the server's roles: none or one is chosen, `present` is chosen already."""
        chosen = [] if present is None else [SelectDefaultValue(id=present, type=SelectDefaultValueType.role)]
        return ui.RoleSelect(
            custom_id=self.format_id(name, state), placeholder=placeholder, min_values=0, default_values=chosen
        )

    def make_user_menu(self, name: str, state: State) -> ui.UserSelect[Any]:
        """Returns a menu of the server's members, one of whom is chosen."""
        return ui.UserSelect(custom_id=self.format_id(name, state))

    def make_form(
        self, name: str, state: State, title: str, label: str, hint: str, field: ui.TextInput[Any]
    ) -> ui.Modal:
        """Returns a form of this family with a single field."""
        modal = ui.Modal(title=title[:45], custom_id=self.format_id(name, state))
        modal.add_item(ui.Label(text=label[:45], description=hint[:100], component=field))
        modal.stop()  # as in `make_view`
        return modal


async def _answer_after(
    first: Acknowledge, handler: ComponentHandler[State], interaction: Interaction, state: State
) -> None:
    await first(interaction)
    await handler(interaction, state)


class NoState(NamedTuple):
    """The state of components whose name is all that the handler needs."""


def make_option(label: str, value: str, description: str = "", *, chosen: bool = False) -> SelectOption:
    """Returns a menu option, its words cut to Discord's limit."""
    return SelectOption(
        label=cut_to_option(label),
        value=value,
        description=cut_to_option(description) if description else None,
        default=chosen,
    )


def make_words_field(present: str, most: int) -> ui.TextInput[Any]:
    """Returns the field of a form for words of several lines, or none, with the present ones as far as a form has room.
    They may be longer than `most`."""
    return ui.TextInput(
        custom_id="words",
        style=TextStyle.paragraph,
        default=present[:MAX_FORM_TEXT],
        max_length=min(max(most, len(present)), MAX_FORM_TEXT),
        required=False,
    )


def cut_to_option(words: str) -> str:
    """Returns the words cut to the length of an option."""
    return cut_plain(words, MAX_OPTION_LENGTH)


def outdated_error() -> Declined:
    """Returns the error for a custom id or value that this version does not know, or that no version ever sent."""
    return Declined(NO_SUCH_BUTTON)


class ParsedId(NamedTuple):
    """The parts of a custom id."""

    family: Family[Any]
    name: str
    state: object

    async def answer(self, interaction: Interaction) -> None:
        """Calls the handler of the component."""
        await self.family.handlers[self.name](interaction, self.state)


class Components:
    """The components that a client answers: those of these families."""

    def __init__(self, families: Iterable[Family[Any]]) -> None:
        self._families = defaultdict[str, list[Family[Any]]](list)
        for family in families:
            self._families[family.prefix].append(family)

    def parse_id(self, custom_id: str) -> ParsedId | None:
        """Returns the parts of that custom id; None if it is malformed or nothing here handles it."""
        for family in self._families.get(custom_id.partition(":")[0], ()):
            parsed = family.parse_id(custom_id)
            if parsed and parsed[0] in family.handlers:
                return ParsedId(family, *parsed)
        return None

    def parse_sent(self, interaction: Interaction) -> ParsedId | None:
        """Returns the parts of the custom id of a button, menu or form; None as in `parse_id`."""
        return self.parse_id(str(dict(interaction.data or {}).get("custom_id")))


def chosen_numbers(interaction: Interaction) -> list[int]:
    """Returns the numbers of the channels or roles chosen in the menu; none if the person removed all of them."""
    return [_number(value) for value in all_given(interaction)]


def submitted_value(interaction: Interaction) -> str:
    """Returns the value chosen in the menu or typed into the form's only field. Raises NO_SUCH_BUTTON if
    there is none.
    """
    if values := all_given(interaction):
        return values[0]
    raise outdated_error()


def all_given(interaction: Interaction) -> list[str]:
    """Returns every value chosen in the menu or typed into the form; an empty list if there is none."""
    sent: dict[str, object] = dict(interaction.data or {})
    if isinstance(values := sent.get("values"), list):
        return [str(value) for value in values]
    return [part["value"] for part in _nested_parts(sent) if isinstance(part.get("value"), str)]


def chosen_values(interaction: Interaction) -> dict[str, list[str]]:
    """Returns the values chosen in each menu of the submitted form, by the menu's custom id."""
    parts = _nested_parts(dict(interaction.data or {}))
    return {
        str(part["custom_id"]): [str(value) for value in part["values"]]
        for part in parts
        if "custom_id" in part and isinstance(part.get("values"), list)
    }


def given_number(interaction: Interaction) -> int:
    """Returns the submitted value as a number. Raises NO_SUCH_BUTTON if it is not a number that we can have offered."""
    return _number(submitted_value(interaction))


def _number(value: str) -> int:
    if not re.fullmatch("[0-9]{1,19}", value) or int(value) > LARGEST_ID:
        raise outdated_error()
    return int(value)


def _nested_parts(part: object) -> Iterator[Mapping[str, Any]]:
    if isinstance(part, Mapping):
        yield part
        for inner in (*(part.get("components") or ()), part.get("component")):
            yield from _nested_parts(inner)
