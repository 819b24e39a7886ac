"""What people type and press: thin layers that translate between interactions and acts.

May import every other room but `bot.ops`.
"""
