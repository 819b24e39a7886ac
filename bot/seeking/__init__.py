"""Seekers: people who look for opponents, and calling them together."""
