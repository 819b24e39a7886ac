"""How plans hooks into the bot."""

from __future__ import annotations

from bot.discordkit.slash import TopLevel
from bot.plans.commands import propose_plan, remark_on_plans
from bot.plans.following import PlanFollowUps
from bot.plans.service import Plans, end_forbidden_plans
from bot.play.context import Feature
from bot.play.service.matches import StoredFeature

PLANS = Feature(
    package="bot.plans",
    top_levels={"plan": TopLevel(private=True)},
    remark=remark_on_plans,
    use_line=propose_plan,
    stored=StoredFeature(parts=(Plans,), load_follow_ups=PlanFollowUps.load, after_server_settings=end_forbidden_plans),
)
