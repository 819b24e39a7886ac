"""What posts and commands are made of: answers, components that outlive restarts, permissions, pictures, counters.

May import `bot.texts` and the rooms before `bot.store`.
"""
