"""What the bot posts unasked about games: turns, results, the audit, reminders; and the tick, which features join."""
