"""What people see and press in Discord: thin layers that translate between interactions and the service."""
