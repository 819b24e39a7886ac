"""The Discord client and its commands as they are registered, apart from Discord."""

import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import discord
import pytest
from discord import AppCommandType, Locale
from discord.app_commands import CommandNotFound

from bot.client import RoundTable
from bot.core.match import Match
from bot.core.timings import Timings
from bot.discordkit.errors import NO_SUCH_BUTTON, Declined, error_sentence
from bot.discordkit.interactions import InteractionTasks
from bot.discordkit.metrics import Metrics
from bot.discordkit.reply import MAX_MESSAGE_LENGTH
from bot.discordkit.slash import CatalogueTranslator, read_known_commands
from bot.ladder.words import LADDER_RULE_VALUES
from bot.play.announcing.ticker import Ticker
from bot.play.background import Pictures
from bot.play.options import find_ply, suggest_texts
from bot.store import Fault, Store, StoreError
from bot.texts.i18n import LANGUAGES, join_list, know_commands, load_catalogue, text
from bot.texts.sentences import turn_names
from rules import VARIANTS
from rules.record import move_numbers
from tests.bot.playing import live, moved
from tests.sentences import LONGEST_TEXT, label


async def test_all_parts_of_a_client_have_the_timings_handed_in(tmp_path: Path) -> None:
    timings = Timings(servers_ready_wait_s=0.5)
    async with Store.open(tmp_path / "rt.db") as store:
        with Pictures(timings) as pictures:
            async with RoundTable(store, pictures, timings=timings) as client:
                await client.add_all_cogs()
                app, ticker = client.context, client.get_cog(Ticker.__cog_name__)
                parts = (app.engine, app.names, app.question_turns, app.review_turns)
                parts = (*parts, pictures.thread, pictures._public_thread)
                assert {id(vars(part)["_timings"]) for part in (client, ticker, *parts)} == {id(timings)}
                assert app.timings is timings
                assert client._connection.guild_ready_timeout == 0.5


@pytest.mark.parametrize(
    "noted", [None, "", "abc123", "[", "[]", "[1]", '["digest", null]', '["digest", {"play": "x"}]']
)
def test_a_note_of_the_commands_that_cannot_be_read_is_none(noted: str | None) -> None:
    assert read_known_commands(noted) is None
    assert read_known_commands('["digest", {"play": 5}]') == ("digest", {"play": 5})


async def test_an_interaction_of_which_discord_tells_twice_is_taken_on_once() -> None:
    kind, work = discord.InteractionType.component, InteractionTasks(Metrics())
    told: Any = SimpleNamespace(id=5, data={}, type=kind, guild_id=1, command=None, extras={})
    assert [work.begin_answering(told), work.begin_answering(told)] == [True, False]


async def test_a_removal_that_the_disk_does_not_take_is_no_fault(
    client: RoundTable, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    await client.add_all_cogs()
    noted, server = list[int](), SimpleNamespace(id=7)

    async def full(_: object, guild: int, _now: int) -> None:
        noted.append(guild)
        raise StoreError(Fault.NO_ACCESS, tmp_path, "disk full")

    monkeypatch.setattr("bot.play.announcing.ticker.note_removed", full)
    for hear in client.extra_events["on_guild_remove"]:
        await hear(server)
    assert noted == [7]


# The commands as they are registered at Discord


ROOT = Path(__file__).parents[2]
NORWEGIAN = Locale.norwegian.value

Json = dict[str, Any]


@pytest.fixture
async def commands(client: RoundTable) -> dict[str, Json]:
    """The data sent to Discord, by name."""
    await client.add_all_cogs()
    return await payloads(client)


async def payloads(client: RoundTable) -> dict[str, Json]:
    return {
        command.name: await command.get_translated_payload(client.tree, CatalogueTranslator())
        for command in client.tree.get_commands(type=AppCommandType.chat_input)
    }


def parts(command: Json) -> Iterator[Json]:
    """A command and its options."""
    yield command
    for option in command.get("options", ()):
        yield from parts(option)


def leaves(command: Json, above: str = "") -> Iterator[tuple[str, Json]]:
    """Every command that can be run, by its full name, such as "me vacation"."""
    name = f"{above}{command['name']}"
    inner = [option for option in command.get("options", ()) if option["type"] in (1, 2)]
    if not inner:
        yield name, command
    for option in inner:
        yield from leaves(option, f"{name} ")


def named(commands: dict[str, Json]) -> dict[str, Json]:
    """Every command that can be run, by its full name."""
    return {name: leaf for command in commands.values() for name, leaf in leaves(command)}


async def test_the_commands_are_those_of_the_papers(commands: dict[str, Json]) -> None:
    rows = re.findall(r"^\| `/([a-z -]+)` \| .+ \|$", (ROOT / "docs/commands.md").read_text("utf-8"), re.M)
    assert sorted(rows) == sorted(named(commands))
    table = re.search(r"^## Commands\n(?P<rows>.*?)^## ", (ROOT / "docs/playing.md").read_text("utf-8"), re.M | re.S)
    assert table
    told = set(re.findall(r"`/([a-z -]+)`", table["rows"]))
    assert told <= named(commands).keys()
    assert {name.split(" ")[0] for name in told} == commands.keys()


async def test_few_words_stand_at_the_top(commands: dict[str, Json]) -> None:
    tops = "play move board games plan game ladder league puzzle me learn help referee server"
    assert sorted(commands) == sorted(tops.split(" "))
    for command in commands.values():
        for part in parts(command):
            assert len(part.get("options", ())) <= 25
        assert characters(command) <= 8_000
        for name, _ in leaves(command):
            assert len(name) <= len("ladder leaderboard"), "the list of a phone cuts longer ones"


def characters(part: Json) -> int:
    """The characters that Discord counts: names, descriptions and choices, each in its longest language."""
    words = [part["name"], part.get("description", ""), str(part.get("value", ""))]
    found = [
        max([word, *(part.get(f"{kind}_localizations") or {}).values()], key=len)
        for kind, word in zip(("name", "description", "value"), words, strict=True)
    ]
    inner = [*part.get("options", ()), *part.get("choices", ())]
    return sum(map(len, found)) + sum(map(characters, inner))


async def test_no_option_that_was_promised_goes_and_none_is_required_later(commands: dict[str, Json]) -> None:
    promised: dict[str, dict[str, bool]] = {
        **{f"game {one}": {"game": False} for one in ("review", "thoughts", "resign", "draw", "move-here", "follow")},
        **{f"ladder {one}": {"variant": True} for one in ("show", "join", "queue", "leave", "leaderboard")},
        **{f"learn {one}": {"variant": True} for one in ("lessons", "rules")},
        **{name: {} for name in ("help", "server settings", "me data")},
        "play": {"variant": False}
        | dict.fromkeys(("opponent", "second_opponent", "seats", "pace", "thread", "vacations", "bots"), False),
        "move": {"move": False, "game": False},
        "board": {"game": False, "turn": False, "public": False, "text": False},
        "games": {"player": False},
        "plan": {"line": False, "game": False},
        "puzzle": {"variant": False, "difficulty": False},
        "game history": {"game": False, "player": False, "variant": False, "opponent": False},
        "game replay": {"game": False, "turn": False, "public": False},
        "game why": {"move": True, "game": False},
        "game explore": {"game": False, "turn": False, "position": False},
        "game substitute": {"player": True, "game": False},
        "ladder challenge": {"variant": True, "player": True},
        "ladder profile": {"player": False, "other": False},
        "me vacation": {"days": False},
        "referee clock": {"game": True, "player": True, "hours": True, "reason": True},
        "referee replace": {"game": True, "player": True, "by": True, "reason": True},
        "referee undo": {"game": True, "turn": True, "reason": True},
        "referee end": {"game": True, "reason": True},
    }
    options = {
        name: {option["name"]: option.get("required", False) for option in command["options"]}
        for name, command in named(commands).items()
    }
    for name, known in promised.items():
        assert known.items() <= options[name].items(), name
        assert {option for option, required in options[name].items() if required and option not in known} == set(), name
    variants = [choice["value"] for choice in commands["play"]["options"][0]["choices"]]
    assert variants == list(VARIANTS)
    assert named(commands)["learn lessons"]["options"][0]["choices"][0]["value"] == "camelot", "for whom Enter chooses"
    challenge = next(one for one in commands["ladder"]["options"] if one["name"] == "challenge")
    offered = [choice["value"] for choice in challenge["options"][0]["choices"]]
    assert offered == [key for key, variant in VARIANTS.items() if len(variant.armies) == 2], "three are queued only"
    for name in ("move", "board", "game resign", "game history"):
        game = next(option for option in named(commands)[name]["options"] if option["name"] == "game")
        assert game["autocomplete"], name


async def test_every_description_is_short_and_there_in_every_language(commands: dict[str, Json]) -> None:
    for command in commands.values():
        for part in parts(command):
            norwegian = part["description_localizations"][NORWEGIAN]
            assert norwegian != part["description"], part["name"]
            assert 1 <= len(part["description"]) <= 100
            assert 1 <= len(norwegian) <= 100
            for choice in part.get("choices", ()):
                assert len(choice["name"]) <= 100
    for locale in LANGUAGES:
        for key, sentence in load_catalogue(locale).items():
            if key.startswith(("command.", "choice.")):
                assert len(sentence) <= 100, key


async def test_the_catalogue_describes_no_command_or_option_that_there_is_not(commands: dict[str, Json]) -> None:
    shown = {part["description"] for command in commands.values() for part in parts(command)}
    assert not {key for key, said in load_catalogue("en").items() if key.startswith("command.") and said not in shown}


PRIVATE = {"games", "plan", "puzzle", "me", "learn", "help"}
MANAGERS = {"referee", "server"}


async def test_each_command_is_offered_where_it_makes_sense_to_whom_it_concerns(commands: dict[str, Json]) -> None:
    for name, command in commands.items():
        private = name in PRIVATE
        assert command["contexts"] == ([0, 1] if private else [0]), "with the bot alone as well"
        assert command["integration_types"] == ([0, 1] if private else [0]), "for people as well as for servers"
        for_managers = str(discord.Permissions(manage_guild=True).value) if name in MANAGERS else "None"
        assert str(command["default_member_permissions"]) == for_managers, name


async def test_the_help_names_every_group(commands: dict[str, Json], locale: str) -> None:
    said = load_catalogue(locale)["help.text"]
    assert not [name for name in commands.keys() - {"board", "help"} if not re.search(rf"`/?{name}\b", said)]


async def test_a_second_client_in_one_process_sends_the_same_commands(
    commands: dict[str, Json], tmp_path: Path
) -> None:
    # discord.py's first connection can fail; the program then starts over with a new client.
    async with Store.open(tmp_path / "again.db") as store:
        with Pictures() as pictures:
            for _ in range(2):
                async with RoundTable(store, pictures) as client:
                    await client.add_all_cogs()
                    assert await payloads(client) == commands


async def test_the_help_fits_a_message_also_with_links(commands: dict[str, Json], locale: str) -> None:
    longest = dict.fromkeys(named(commands), 2**63)
    values: dict[str, Any] = {
        **LADDER_RULE_VALUES,
        "games": join_list(locale, [variant.name for variant in VARIANTS.values()]),
        "move": label("compose", locale),
        "more": label("more", locale),
    }
    try:
        know_commands(longest)
        for key in ("help.text", "privacy.text", "privacy.thoughts"):
            assert len(text(locale, key, **values)) <= MAX_MESSAGE_LENGTH, key
    finally:
        know_commands({})
    for key in ("help.text", "privacy.text", "privacy.thoughts"):  # as displayed: without the targets of links
        assert len(text(locale, key, **values)) <= LONGEST_TEXT, key


GONE = (
    *("game moves", "game claim-draw", "game takeback", "game claim", "game give-time", "game nudge", "game export"),
    *("game unfollow", "ladder unqueue", "ladder history", "ladder rules", "ladder compare", "league games"),
    *("league rules", "league history", "me vacation start", "me vacation stop", "me privacy", "me data export"),
    *("me data delete", "referee abort", "referee annul", "referee rename", "referee hints", "game openings"),
)
"""Commands of November 2026, which people's apps may still offer for a while."""


async def test_commands_that_went_are_answered_kindly(client: RoundTable) -> None:
    await client.add_all_cogs()
    for name in GONE:
        top, *rest = name.split(" ")
        options: list[Json] = []
        for level, word in enumerate(reversed(rest), 1):
            options = [{"type": level, "name": word, "options": options}]
        sent: Any = {"id": 1, "name": top, "type": 1, "options": options}
        with pytest.raises(CommandNotFound) as raised:
            client.tree._get_app_command_options(sent)
        assert error_sentence("en", raised.value) == text("en", NO_SUCH_BUTTON)


# Turns as people type them


MOVES = ("F7-F9", "C12-C10", "I12-I10", "G4-G8")


def of_three() -> Match:
    """A game of three in its second round."""
    return moved(live("tri-camelot"), *MOVES)


def test_a_suggested_text_is_its_own_value() -> None:
    assert [(one.name, one.value) for one in suggest_texts(["b" * 200])] == [("b" * 100, "b" * 100)]


@pytest.mark.parametrize(
    ("typed", "ply"),
    [("0", 0), ("1", 3), ("1.", 3), ("1 red", 2), ("1 rød", 2), ("1 G", 3), ("2", 4), (" 2,  Blue: G4-G8", 4)],
)
def test_a_turn_is_named_as_in_the_record(typed: str, ply: int) -> None:
    assert find_ply(of_three(), typed) == ply


def test_a_replay_begins_with_the_first_move_of_a_round() -> None:
    assert find_ply(of_three(), "1", first=True) == 1
    assert find_ply(of_three(), "1 green", first=True) == 3


@pytest.mark.parametrize("typed", ["", "2 red", "3", "-1", "red", "1 x", "x" * 5000])
def test_what_names_no_turn_is_declined_with_an_example(typed: str) -> None:
    with pytest.raises(Declined, match="no-such-turn"):
        find_ply(of_three(), typed)
    with pytest.raises(Declined):
        find_ply(live("tri-camelot"), "1")


def test_every_move_has_its_turn() -> None:
    match = of_three()
    assert turn_names("en", match.started_game) == ["1, Blue", "1, Red", "1, Green", "2, Blue", "2, Red"]
    assert move_numbers(match.started_game) == ((1, 0), (1, 1), (1, 2), (2, 0), (2, 1))
