"""The hooks of hints into the bot."""

from __future__ import annotations

from bot.hints import commands
from bot.play.context import Feature

HINTS = Feature(modules=(commands,), match_buttons=commands.hint_button, add_notes=commands.tell_hints)
