"""Puzzles: positions of finished games with one solution, a daily one for each server, and what people solved."""
