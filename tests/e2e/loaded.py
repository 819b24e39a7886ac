"""The modules of the program and its empty boards, for a process from which others are forked."""

import bot.client
import bot.ops.backup
import bot.ops.terminal  # noqa: F401
from render import warm
from rules import VARIANTS

for variant in VARIANTS.values():  # as each life of the bot does, which is most of what it costs
    for seat in variant.seats:
        warm(variant, seat)
