"""Lessons: six tasks for each variant, which the reader solves alone."""
