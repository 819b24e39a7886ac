"""What people decide about matches, by subject. Functions that look at a match and return the events that follow."""
