"""The Discord client, apart from Discord."""

from pathlib import Path

from bot.client import RoundTable
from bot.kit.components import ACTIONS
from bot.kit.pictures import Pictures
from bot.store import Store


async def test_a_second_client_in_one_process_loads_as_the_first_did(tmp_path: Path) -> None:
    # discord.py's first connection can fail; the program then starts over with a new client.
    async with Store.open(tmp_path / "rt.db") as store:
        with Pictures() as pictures:
            for _ in range(2):
                async with RoundTable(store, pictures) as client:
                    await client.add_all_cogs()
                    assert {command.name for command in client.tree.get_commands()} >= {"play", "move", "board"}
    assert {"join", "leave", "decline", "cancel", "moves", "rules", "page"} <= set(ACTIONS.handlers)
