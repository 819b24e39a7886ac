"""What the bot posts unasked: turns and results, ladders, the audit, reminders; and the tick.

May import `bot.play.service`, `bot.discordkit`, `bot.texts` and what stands before them.
"""
