"""Ladders, one per server and variant, as folds of their entries; ratings; standings. Pure; times are unix seconds.

May import `bot.core`.
"""
