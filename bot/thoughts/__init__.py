"""Thoughts: words about moves, which nobody else can read until the game is over. The thoughts that people share then
make the annotated game.
"""
