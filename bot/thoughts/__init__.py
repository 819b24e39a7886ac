"""Thoughts: words about moves, sealed until the game is over, and the annotated game made of those shared then."""
