"""The Discord client, apart from Discord."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import discord
import pytest
from structlog.testing import capture_logs

from bot.client import VERIFY_BY, VERIFY_FROM, RoundTable
from bot.core.timings import Timings
from bot.discordkit.interactions import InteractionTasks
from bot.discordkit.metrics import Metrics
from bot.discordkit.slash import read_known_commands
from bot.play.announcing.ticker import Ticker
from bot.play.pictures import Pictures
from bot.play.shared_components import ACTIONS
from bot.store import Fault, Store, StoreError


async def test_a_second_client_in_one_process_loads_as_the_first_did(tmp_path: Path) -> None:
    # discord.py's first connection can fail; the program then starts over with a new client.
    async with Store.open(tmp_path / "rt.db") as store:
        with Pictures() as pictures:
            for _ in range(2):
                async with RoundTable(store, pictures) as client:
                    await client.add_all_cogs()
                    assert {command.name for command in client.tree.get_commands()} >= {"play", "move", "board"}
    assert {"join", "leave", "decline", "cancel", "moves", "rules", "page"} <= set(ACTIONS.handlers)


async def test_all_parts_of_a_client_have_the_timings_handed_in(tmp_path: Path) -> None:
    timings = Timings(servers_ready_wait_s=0.5)
    async with Store.open(tmp_path / "rt.db") as store:
        with Pictures(timings) as pictures:
            async with RoundTable(store, pictures, timings=timings) as client:
                await client.add_all_cogs()
                app, ticker = client.app, client.get_cog(Ticker.__cog_name__)
                parts = (app.engine, app.names, app.background, app.question_turns, app.review_turns)
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


async def test_discords_wish_to_verify_the_app_is_logged_once_per_limit(
    client: RoundTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    servers = list[object]()
    monkeypatch.setattr(RoundTable, "guilds", property(lambda _: servers))
    user = SimpleNamespace(public_flags=SimpleNamespace(verified_bot=False))
    monkeypatch.setattr(RoundTable, "user", property(lambda _: user))
    logged = list[int]()
    for _ in range(VERIFY_BY + 5):
        servers.append(None)
        with capture_logs() as lines:
            client._warn_before_verification_limit()
        logged += [line["servers"] for line in lines]
    assert logged == [VERIFY_FROM, VERIFY_BY]


async def test_a_removal_that_the_disk_does_not_take_is_no_fault(
    client: RoundTable, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    await client.add_all_cogs()
    noted, server = list[int](), SimpleNamespace(id=7)

    async def full(guild: int, _: int) -> None:
        noted.append(guild)
        raise StoreError(Fault.NO_ACCESS, tmp_path, "disk full")

    monkeypatch.setattr(client.app.service.servers, "note_removed", full)
    for hear in client.extra_events["on_guild_remove"]:
        await hear(server)
    assert noted == [7]
