"""Export and deletion of personal data, and what remains of servers that have left."""
