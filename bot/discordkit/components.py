"""Buttons, menus and forms: what stands in their `format_id`, and who answers them.

Messages live for years and the program does not: all that an answer needs stands in the `format_id`, and nothing of a
button, a menu or a form stays in memory. So an id that has once been sent must be understood for ever.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from typing import Annotated, Any, Generic, NamedTuple, TypeAlias, TypeVar, get_type_hints

from discord import ButtonStyle, ChannelType, SelectDefaultValue, SelectDefaultValueType, SelectOption, ui

from bot.core.draft import format_path, parse_path
from bot.core.events import LARGEST_STORED_INT
from bot.core.problems import MatchError, Problem
from bot.discordkit.reply import Interaction
from bot.texts.i18n import Language, text
from rules.board import Cell

MAX_ID_LENGTH = 100
"""Characters of a `format_id`."""

Button: TypeAlias = ui.Button[Any]
Menu: TypeAlias = ui.Select[Any]

State = TypeVar("State", bound=tuple[Any, ...])
ComponentHandler: TypeAlias = Callable[[Interaction, State], Coroutine[Any, Any, None]]


class FieldFormat(NamedTuple):
    """How one field of a state is written. The pattern has no groups that capture, and matches no ":"."""

    pattern: str
    read: Callable[[str], Any] = str
    write: Callable[[Any], str] = str
    later: bool = False
    """Whether older versions have written ids without it. It stands at the end, and is left out as its default."""


MatchField = Annotated[int, FieldFormat(r"\d{1,15}", int)]
CountField = Annotated[int, FieldFormat(r"\d{1,6}", int)]
UserField = Annotated[int, FieldFormat(r"-?\d{1,20}", int)]
KeyField = Annotated[str, FieldFormat(r"[a-z0-9-]{1,20}")]
NonceField = Annotated[str, FieldFormat("[0-9a-z]{2}", later=True)]
"""What makes a menu another one each time that it is shown.

Discord's clients remember what was chosen in a menu by its id: chosen again, the same option would send nothing.
"""


def menu_nonce(interaction: Interaction) -> str:
    """A `NonceField` for the menus that are shown in answer to that interaction."""
    return format_path([(interaction.id >> 22) % 36**2])  # the time, in milliseconds


class Codec(Generic[State]):
    """Writes a NamedTuple as its fields with ":" between them, and reads it again."""

    def __init__(self, make: Callable[..., State]) -> None:
        self._make = make
        self._fields: list[FieldFormat] = [
            hint.__metadata__[0] for hint in get_type_hints(make, include_extras=True).values()
        ]
        signs = (f"{':' if place else ''}({field.pattern})" for place, field in enumerate(self._fields))
        self._pattern = re.compile(
            "".join(f"(?:{sign})?" if field.later else sign for field, sign in zip(self._fields, signs, strict=True))
        )

    def format_state(self, state: State) -> str:
        """The state in characters."""
        return ":".join(
            field.write(value) for field, value in zip(self._fields, state, strict=True) if value or not field.later
        )

    def parse_state(self, text: str) -> State | None:
        """The state that is written so; None if none is."""
        match = self._pattern.fullmatch(text)
        if match is None:
            return None
        values = zip(self._fields, match.groups(), strict=True)
        return self._make(*(field.read(value) for field, value in values if value is not None))


class Family(Generic[State]):
    """Components of one prefix and state: a `format_id` is the prefix, a name and the state. One alone has no name.

    A command module says `@FAMILY.on("name")` of the function that answers.
    """

    def __init__(self, prefix: str, state: Callable[..., State]) -> None:
        assert prefix not in FAMILIES, prefix
        FAMILIES[prefix] = self
        self.prefix, self.codec = prefix, Codec(state)
        self.handlers: dict[str, ComponentHandler[State]] = {}

    def register_handler(self, name: str = "") -> Callable[[ComponentHandler[State]], ComponentHandler[State]]:
        """Register the function as what answers the components of that name."""

        def add_handler(handler: ComponentHandler[State]) -> ComponentHandler[State]:
            assert name not in self.handlers, name
            self.handlers[name] = handler
            return handler

        return add_handler

    def format_id(self, name: str, state: State) -> str:
        """The `format_id` of that name and state."""
        text = ":".join(part for part in (self.prefix, name, self.codec.format_state(state)) if part)
        assert len(text) <= MAX_ID_LENGTH, text
        return text

    def parse_id(self, custom_id: str) -> tuple[str, State] | None:
        """The name and the state in a `format_id` of this family; None where it is of another, or means nothing."""
        prefix, _, rest = custom_id.partition(":")
        name, _, fields = ("", "", rest) if "" in self.handlers else rest.partition(":")
        state = self.codec.parse_state(fields) if prefix == self.prefix else None
        return None if state is None else (name, state)

    def make_button(
        self, name: str, state: State, label: str, style: ButtonStyle = ButtonStyle.secondary, row: int | None = None
    ) -> Button:
        """A button of the family."""
        return ui.Button(label=label[:80], style=style, custom_id=self.format_id(name, state), row=row)

    def make_menu(
        self,
        name: str,
        state: State,
        options: Sequence[SelectOption],
        placeholder: str | None = None,
        most: int | None = None,
    ) -> Menu:
        """A menu of the family, of which one option is chosen; with `most`, up to so many are, or none."""
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
        """A menu of the server's channels of these types; up to `most` are chosen, or none, `present` are already."""
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

    def make_form(
        self, name: str, state: State, title: str, label: str, hint: str, field: ui.TextInput[Any]
    ) -> ui.Modal:
        """A form of the family, with that one field."""
        modal = ui.Modal(title=title[:45], custom_id=self.format_id(name, state))
        modal.add_item(ui.Label(text=label[:45], description=hint[:100], component=field))
        modal.stop()  # as in `make_view`
        return modal


FAMILIES: dict[str, Family[Any]] = {}
"""Every family of components by its prefix. The handlers are filled in by the command modules at import."""


class Action(NamedTuple):
    """What most buttons carry."""

    match: MatchField = 0
    number: CountField = 0
    """How often the board had changed, a ply, the event that is answered, or the page of a rulebook."""
    variant: KeyField = "-"
    """The variant whose rulebook or ladder it is."""


class Setting(NamedTuple):
    """Which setting a menu or a form is about."""

    name: KeyField = "-"
    fresh: NonceField = ""
    """Of menus only."""


class NoState(NamedTuple):
    """Carried by components whose name says it all."""


ACTIONS = Family("rt", Action)
FORMS = Family("rt-typed", NoState)

handles_action = ACTIONS.register_handler


def action_button(
    locale: Language, name: str, *, label: str | None = None, primary: bool = False, danger: bool = False, **values: Any
) -> Button:
    """A button with its label in that language. `values` are the fields of its `Action`."""
    style = ButtonStyle.primary if primary else ButtonStyle.secondary
    if danger:
        style = ButtonStyle.danger
    return ACTIONS.make_button(name, Action(**values), text(locale, f"button.{label or name}"), style)


STORED_PATH_MARK = "~"
"""Stands before the fingerprint of a path that is too long to be carried along."""

MAX_CELLS_CARRIED = 28
"""Landings for which there is room in a `format_id`, whatever the numbers of the match and its board."""


EndField = Annotated[
    Cell | None,
    FieldFormat(
        "[0-9a-z]{2}|-",
        lambda code: None if code == "-" else parse_path(code)[0],
        lambda cell: "-" if cell is None else format_path([cell]),
    ),
]
PathField = Annotated[str, FieldFormat(rf"(?:[0-9a-z]{{2}}){{0,{MAX_CELLS_CARRIED}}}|{STORED_PATH_MARK}[0-9a-f]{{8}}")]


class ComposerState(NamedTuple):
    """Where in which move a panel of the composer is."""

    match: MatchField
    board_version: CountField
    """That of the match whose board this is: a ply comes again when moves are taken back, this does not."""
    end: EndField = None
    """A destination that has been chosen and can be reached in several ways."""
    path: PathField = ""
    """The landings as `format_path` writes them; or, after `~`, the fingerprint of those in the store."""
    fresh: NonceField = ""
    """Of the composer's menus only."""


COMPOSER = Family("rt-press", ComposerState)
"""Its buttons. One of them, "open", stands below the boards that are posted."""


def make_view(*items: ui.Item[Any]) -> ui.View:
    """A message's buttons and menus."""
    view = ui.View(timeout=None)
    for item in items:
        view.add_item(item)
    view.stop()  # discord.py neither keeps nor calls it: whatever comes in is answered by its `format_id`
    return view


def outdated_error() -> MatchError:
    """The error for what no version has sent, or what ours no longer knows."""
    return MatchError(Problem.NO_SUCH_BUTTON)


class ParsedId(NamedTuple):
    """What a `format_id` says."""

    family: Family[Any]
    name: str
    state: Any


def parse_custom_id(custom_id: str) -> ParsedId | None:
    """What that `format_id` says; None where it means nothing, or nothing any more."""
    family = FAMILIES.get(custom_id.partition(":")[0])
    parsed = family.parse_id(custom_id) if family else None
    return ParsedId(family, *parsed) if family and parsed and parsed[0] in family.handlers else None


async def answer_component(interaction: Interaction) -> None:
    """Answer a button, a menu or a form. Raises NO_SUCH_BUTTON for an id that means nothing."""
    data: dict[str, Any] = dict(interaction.data or {})
    sent = parse_custom_id(str(data.get("custom_id")))
    if sent is None:
        raise outdated_error()
    await sent.family.handlers[sent.name](interaction, sent.state)


def chosen_channels(interaction: Interaction) -> list[int]:
    """The numbers of what was chosen in a menu of channels; none where all was taken out of it."""
    data: dict[str, Any] = dict(interaction.data or {})
    return [_number(str(value)) for value in data.get("values") or ()]


def submitted_value(interaction: Interaction) -> str:
    """What was chosen in the menu, or typed into the form's only field. Raises NO_SUCH_BUTTON where it is neither."""
    data: dict[str, Any] = dict(interaction.data or {})
    values = data.get("values") or [part["value"] for part in _nested_parts(data) if isinstance(part.get("value"), str)]
    if not values:
        raise outdated_error()
    return str(values[0]).encode(errors="replace").decode()  # JSON can name halves of characters, which nothing stores


def all_given(interaction: Interaction) -> list[str]:
    """Returns everything that was chosen in the menu; nothing where it is no menu."""
    sent: dict[str, Any] = dict(interaction.data or {})
    values = sent.get("values")
    return [str(value).encode(errors="replace").decode() for value in values] if isinstance(values, list) else []


def given_number(interaction: Interaction) -> int:
    """The same where it is a number. Raises NO_SUCH_BUTTON where it is none that we have offered."""
    return _number(submitted_value(interaction))


def _number(value: str) -> int:
    if not re.fullmatch("[0-9]{1,19}", value) or int(value) > LARGEST_STORED_INT:
        raise outdated_error()
    return int(value)


def _nested_parts(part: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(part, Mapping):
        yield part
        for inner in (*(part.get("components") or ()), part.get("component")):
            yield from _nested_parts(inner)
