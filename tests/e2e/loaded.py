"""The modules of the program and its empty boards, for a process from which others are forked."""

from bot.features import FEATURES
from bot.play import every_command
from render import run_steps, warm_caches
from rules import VARIANTS

every_command(FEATURES)  # whose modules nobody else imports
for variant in VARIANTS.values():  # as each life of the bot does, which is most of what it costs
    for seat in variant.seats:
        run_steps(warm_caches(variant, seat))
