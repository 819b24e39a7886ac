"""What whoever runs the bot needs beside it: backups, health and metrics."""
