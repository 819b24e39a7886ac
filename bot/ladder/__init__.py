"""Ladders, one per server and variant, as folds of their entries: challenges, queues, seasons, standings, posts."""
