"""Leagues: the domain by properties, without a database and without Discord."""
