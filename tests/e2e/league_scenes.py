"""The scenes around a league."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.leagues.league import SIGN_UP_S
from sandbox.permissions import Permission
from tests.e2e.guild_roles import add_role, grant
from tests.e2e.planting import button, plant

if TYPE_CHECKING:
    from tests.e2e.scenes import Scene


async def league_open(scene: Scene) -> None:
    """A league for which nobody has signed up."""
    custom_id = "rt-league-new:open:camelot:fast:8:4-6:2:0:1:7"
    panel = plant(scene.house, scene.room.channel, button(custom_id), only_for=scene.judge)
    await scene.judge.click(panel, custom_id)
    [(number,)] = scene.house.bot.query("SELECT max(id) FROM leagues")
    scene.words["league"] = str(number)


async def league(scene: Scene) -> None:
    """Ada and Bo have signed up for a league."""
    await league_open(scene)
    for name in ("Ada", "Bo"):
        await scene.people[name].command(scene.room.channel, "league join", league=int(scene.words["league"]))


async def league_on(scene: Scene) -> None:
    """The season of that league has begun, and somebody who manages the server judges its game."""
    await league(scene)
    await scene.house.move_clock(SIGN_UP_S)
    sql = f"SELECT match FROM league_games WHERE match IS NOT NULL AND league = {scene.words['league']}"
    await scene.house.until(lambda: bool(scene.house.bot.query(sql)), "begun")
    [(scene.number,)] = scene.house.bot.query(sql)
    await scene.invite_judge()


async def league_judged(scene: Scene) -> None:
    """Somebody who manages the server looks at that league."""
    await league(scene)
    await scene.invite_judge()


async def league_managing(scene: Scene) -> None:
    """Somebody who manages the server looks at that league; the bot may give a role."""
    await league_judged(scene)
    await grant(scene.judge, scene.room.guild, Permission.MANAGE_ROLES)
    scene.words["channel"] = scene.room.channel
    scene.words["role"] = await add_role(scene.judge, scene.room.guild, "Champion")
