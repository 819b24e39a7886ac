"""The hooks of plans into the bot."""

from __future__ import annotations

from bot.plans import commands
from bot.plans.commands import remark_on_plans
from bot.plans.service import export_person, resume_plans
from bot.play.context import Feature, OnTick

PLANS = Feature(
    modules=(commands,),
    export_person=export_person,
    remark=remark_on_plans,
    work=(OnTick("plans", lambda context, now: resume_plans(context.service, now)),),
)
