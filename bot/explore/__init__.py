"""Explore: private trees of moves that a person tries on a board of their own."""
