"""Does the acts of the table of permissions and finds out their outcome."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from discord import app_commands

from bot.core.problems import Problem
from bot.discordkit.errors import NO_SUCH_BUTTON
from bot.discordkit.slash import PATH_KEY
from bot.features import FEATURES, PLAY
from bot.ladder.acts import LadderProblem
from bot.leagues.league import LeagueProblem
from bot.play.context import declared
from bot.texts.i18n import load_catalogue
from sandbox.people import Person, RefusedError, Reply
from tests.e2e.database_contents import differences, settled, stock
from tests.e2e.forged_components import button, menu, plant, plant_form
from tests.e2e.house import House
from tests.e2e.indoors import Indoors
from tests.e2e.permissions import DONE, OUT, SHOWN, STALE, UNKNOWN, Outcome, Row
from tests.e2e.scenes import Scene

FORMS = (
    *("rt-form", "rt-task:typed", "rt-riddle:typed", "rt-line:typed", "rt-line:noted", "rt-notes"),
    *("rt-thought:said", "rt-thought:noted"),
    *("rt-table", "rt-league-name", "rt-league-new:named"),
    *("rt-typed:", "rt-mine-form", "rt-server-form"),
)
"""The prefixes of acts that are forms."""


def let_everybody_try(house: House) -> None:
    """Lets everybody run every command, as far as Discord is concerned.

    A server can open the commands that Discord hides from others at first; so the bot must not rely on that.
    """
    world = house.server.world
    for command in tuple(world.commands.values()):
        world.put(replace(command, body={**command.body, "default_member_permissions": None}))


def suggesting() -> list[tuple[str, str]]:
    """Returns every option for which something is suggested while a person types, with its command."""
    return [
        (str(command.extras[PATH_KEY]), option.display_name)
        for command in declared((PLAY, *FEATURES), app_commands.Command)
        for option in command.parameters
        if option.autocomplete
    ]


async def do(here: Scene, act: str, row: Row, person: Person, channel: str) -> Reply:
    """Has the person do the act in that channel and returns the answer."""
    if act.startswith("/"):
        assert not isinstance(row.given, str)
        options = {key: here.filled(one) if isinstance(one, str) else one for key, one in row.given.items()}
        if "league" in options:
            options["league"] = int(str(options["league"]))  # the only number among the scenes' words for commands
        return await person.command(channel, act.removeprefix("/"), **options)
    custom_id, value = here.filled(row.ident), here.filled(str(row.given or ""))
    if act.startswith(FORMS):
        return await person.submit(plant_form(here.house, person, channel, custom_id), {"x": value})
    if row.given:
        said = plant(here.house, channel, menu(custom_id, value), only_for=person)
        return await person.choose(said, custom_id, [value])
    return await person.click(plant(here.house, channel, button(custom_id), only_for=person), custom_id)


async def outcome(
    here: Scene, act: str, row: Row, person: Person, channel: str, promised: Outcome | None = None
) -> Outcome:
    """Has the person do the act there and returns the outcome. Asserts that a refused act stores nothing.

    After a silent answer the bot may still be at work; what is promised to be done is waited for.
    """
    if isinstance(here.house, Indoors):  # the first picture of a board takes long, and too many questions are refused
        answers = here.house.client._work._tasks
        await here.house.until(lambda: not answers, "answered, with the pictures")
    before = await settled(here.house)
    try:
        reply = await do(here, act, row, person, channel)
    except RefusedError:
        return OUT
    assert not reply.failed, (act, person.name)
    assert reply.answer in ("update", "silent", "modal") or reply.ephemeral, reply
    if promised is DONE and reply.answer == "silent":
        await here.house.until(lambda: bool(differences(before, stock(here.house))), f"{act} by {person.name} is done")
    changed = differences(before, await settled(here.house))
    text = reply.text
    refused = [problem for problem, said in sentences().items() if said.search(text)]
    if refused:
        assert not changed, (person.name, reply.text, changed)
        return refused[0]
    if reply.text.startswith(load_catalogue("en")["moves.stale"]):
        assert not changed, (person.name, changed)
        return STALE
    return DONE if changed else SHOWN


@cache
def sentences() -> dict[Outcome, re.Pattern[str]]:
    """Returns a pattern of the English sentence for each reason of a refusal."""
    reasons: dict[Outcome, str] = {UNKNOWN: NO_SUCH_BUTTON}
    reasons |= {one: f"problem.{one.value}" for one in Problem}
    reasons |= {one: f"refusal.{one.value}" for one in LadderProblem}
    reasons |= {one: f"league.problem.{one.value}" for one in LeagueProblem}
    return {one: re.compile("|".join(f"^{form}" for form in forms(key))) for one, key in reasons.items()}


def forms(key: str) -> list[str]:
    """Returns the patterns of a text with any values, one for each of its plural forms."""
    texts = [said for name in (key, f"{key}.one", f"{key}.other") if (said := load_catalogue("en").get(name))]
    assert texts, key
    return [".+?".join(map(re.escape, re.split(r"\{\w+\}", said))) for said in texts]
