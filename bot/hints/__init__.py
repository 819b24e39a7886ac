"""Hints: which piece the engine would move, in games against house players."""
