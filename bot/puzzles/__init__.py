"""Puzzles: positions from finished games with one solution, a daily one for each server, and what people have solved."""
