"""A bot without one of its features works, without that feature."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from bot.features import FEATURES
from bot.play.context import Feature
from tests.examples import ordinarily

ROOT = Path(__file__).parents[2]

RUN_WITHOUT = """
import asyncio, re, sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

name, folder = sys.argv[1:]
source = Path("bot/features.py").read_text()
source = re.sub(rf"^(from bot[.]{name}[.]feature import .*|    {name.upper()},)$", "", source, flags=re.M)
features = sys.modules["bot.features"] = ModuleType("bot.features")
exec(source, features.__dict__)

import bot.client
from bot.core.acts import AnnulMatch, JoinTable, PlayMove, Resign
from bot.core.deadlines import Actor
from bot.core.table import TableOptions
from bot.discordkit.components import Components, Family
from bot.play.sheets import OPEN_BUTTONS, SheetDrawer
from bot.play.announcing.tables import table_buttons
from bot.play.announcing.turn import turn_buttons
from bot.play.context import ButtonPlace, Ended, OnTick, PersonShown, declared, every_command
from bot.play.context import feature_buttons, feature_notes, feature_work
from bot.play.service import Service, games, people, tables, upkeep
from bot.ops.rebuild import rebuild_all
from bot.store import Store
from discord.ext.commands import CogMeta
from rules import some_moves

ADA, BO, NOW = 10**17, 10**17 + 1, 1_700_000_000

async def use_bot():
    async with Store.open(Path(folder) / "bot.db") as store:
        service = Service(store, features.FEATURES)
        context = SimpleNamespace(features=features.FEATURES, has_house=lambda _: True, service=service, engine=None)
        assert [make(context) for make in feature_work((features.PLAY, *features.FEATURES), CogMeta)]
        match = await tables.open_table(service, Actor(ADA, NOW, 1), 2, TableOptions("camelot"))
        buttons = [*table_buttons(context, "en", match)]
        match = await service.act(Actor(BO, NOW), match.id, JoinTable())
        for _ in range(3):
            move = some_moves(match.started_game.position).moves[0]
            match = await service.act(Actor(match.to_move, NOW + 1), match.id, PlayMove(move, match.board_version))
            buttons += turn_buttons(features.FEATURES, "en", match)
        await upkeep.tick_matches(service, NOW + 2)
        for work in feature_work(features.FEATURES, OnTick):
            await work.run(context, NOW + 2)
        await people.change_guild_settings(service, 1, lambda settings: settings)
        match = await service.act(Actor(match.to_move, NOW + 3), match.id, Resign())
        buttons += turn_buttons(features.FEATURES, "en", match)
        buttons += feature_buttons(features.FEATURES, "en", match, ButtonPlace.MORE)
        effects = await games.rating_effects(service.reader, match.id)
        assert (await feature_notes(context, "en", PersonShown(1, ADA, in_profile=True))).lines == []
        for about in (PersonShown(1, ADA), Ended(match, effects), Ended(match)):
            buttons += (await feature_notes(context, "en", about)).buttons
        await service.act(Actor(ADA, NOW + 4), match.id, AnnulMatch("a wager"))
        report = await rebuild_all(service, write=False)
        assert not report.differing, report
        if name != "privacy":
            privacy = sys.modules["bot.privacy.service"]
            exported = await privacy.export_person(service, ADA)
            assert [game["match"] for game in exported["games"]] == [match.id], exported
            assert (await privacy.footprint_of(service, ADA))["over"] == 1
            await privacy.forget_person(service, ADA, NOW + 5)
            assert ADA not in (await service.current_match(match.id, 1)).players
        await upkeep.note_removed(service, 1, NOW)
        assert await upkeep.delete_abandoned(service, NOW + 10**7) == [1]
    declaring = (features.PLAY, *features.FEATURES)
    components = Components(declared(declaring, Family))
    sheets = {drawer.name for drawer in declared(declaring, SheetDrawer)}
    for button in buttons:
        parsed = components.parse_id(button.custom_id)
        assert parsed, f"nothing answers {button.custom_id}"
        assert parsed.family is not OPEN_BUTTONS or parsed.state.name in sheets, button.custom_id
    assert every_command(declaring)
    assert f"bot.{name}.commands" not in sys.modules and f"bot.{name}.service" not in sys.modules

asyncio.run(use_bot())
"""


@pytest.mark.parametrize("name", ordinarily([feature.name for feature in FEATURES], "leagues", "hints"))
def test_a_bot_without_a_feature_works(name: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", RUN_WITHOUT, name, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


def test_each_hook_has_at_least_two_users() -> None:
    for hook in fields(Feature):
        unused = getattr(Feature(), hook.name)
        assert sum(getattr(feature, hook.name) != unused for feature in FEATURES) > 1, hook.name
