"""The private board: a move is composed press by press, for a turn, a plan, a puzzle, a lesson or a tree."""
