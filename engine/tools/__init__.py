"""What only `python -m engine` needs: matches between players, fitted weights, trials of the steward."""
