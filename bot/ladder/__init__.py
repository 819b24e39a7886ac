"""Ladders, one per server and variant: challenges, queues, seasons, standings, posts. Each is a fold of its entries."""
