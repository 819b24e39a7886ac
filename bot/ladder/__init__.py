"""Ladders, one per server and variant, as a fold of their entries; ratings and standings. Pure; times are unix seconds.

May import `bot.people` and `bot.core`.
"""
