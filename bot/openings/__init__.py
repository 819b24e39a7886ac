"""Openings: the tree of a server's finished games. It tells how often each move was played and how it scored."""
