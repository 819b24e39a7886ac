"""The hooks of the lessons into the bot."""

from __future__ import annotations

from bot.learn import lessons
from bot.play.context import Feature

LEARN = Feature(modules=(lessons,))
