"""What posts and commands are made of: answers, components that outlive restarts, permissions, pictures, counters.

May import `bot.texts` the rooms before `bot.store`, and of that what its errors are.
"""
