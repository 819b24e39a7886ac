"""Puzzles: positions with one solution, a daily one for each server, and what people solved."""
