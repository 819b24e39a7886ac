"""What posts and commands are made of: answers, components that outlive restarts, permissions, pictures, counters.

May import `bot.texts`, the rooms before `bot.store`, and of `bot.store` the error that says what ails it.
"""
