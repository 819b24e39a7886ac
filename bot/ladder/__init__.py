"""Ladders, one per server and variant: challenges, queues, seasons, standings, posts; also profiles and leaderboards. A
ladder's state is the fold of its entries.
"""
