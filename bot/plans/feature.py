"""The hooks of plans into the bot."""

from __future__ import annotations

from bot.plans import commands
from bot.plans.commands import propose_plan, remark_on_plans
from bot.plans.service import PlanFollowUps, export_person, matches_due
from bot.play.context import Feature
from bot.play.service.matches import StoredFeature
from bot.store.database_tables import Table

PLANS = Feature(
    modules=(commands,),
    stored=StoredFeature(
        load_follow_ups=PlanFollowUps.load,
        tables=(Table("plans", ("id",), is_numbered=True, of_match=True, of_person=True),),
        matches_due=matches_due,
        export_person=export_person,
    ),
    remark=remark_on_plans,
    use_line=propose_plan,
)
