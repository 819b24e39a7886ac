"""The modules of the program, for a process from which others are forked. Nothing of it has run."""

import bot.client
import bot.ops.backup
import bot.ops.terminal  # noqa: F401
