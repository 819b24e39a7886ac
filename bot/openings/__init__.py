"""Openings: the tree of a server's finished games, with how often each move was played and how it scored."""
