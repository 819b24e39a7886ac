"""The parts that posts and commands share: answers, components that outlive restarts, permissions, pictures, counters.

May import `bot.texts`, the rooms before `bot.store`, and from `bot.store` only the error that describes its faults.
"""
