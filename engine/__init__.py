"""The house player: it searches, judges and solves positions of every variant. Standard library only."""
