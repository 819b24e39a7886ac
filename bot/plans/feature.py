"""The hooks of plans into the bot."""

from __future__ import annotations

from bot.plans import commands
from bot.plans.commands import remark_on_plans
from bot.plans.service import PlanFollowUps, export_person, resume_plans
from bot.play.context import Feature, OnTick
from bot.store.database_tables import Table

PLANS = Feature(
    modules=(commands,),
    load_follow_ups=PlanFollowUps.load,
    database_tables=(Table("plans", ("id",), is_numbered=True, of_match=True, of_person=True),),
    export_person=export_person,
    remark=remark_on_plans,
    work=(OnTick("plans", lambda context, now: resume_plans(context.service, now)),),
)
