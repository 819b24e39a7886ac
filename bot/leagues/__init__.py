"""Leagues: seasons of groups in which everybody plays everybody, with promotion and relegation."""
