"""Profiles: the games, results and ratings of one person in one server."""
