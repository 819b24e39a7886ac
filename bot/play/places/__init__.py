"""Where games are posted: channels, threads and servers, and what to do when one cannot be reached."""
