"""Ladders, one per server and variant: challenges, queues, seasons, standings, posts. A ladder's state is the fold of
its entries.
"""
