"""What the operator needs: backups, health, metrics, the doctor and the terminal. Only `__main__` imports it."""
