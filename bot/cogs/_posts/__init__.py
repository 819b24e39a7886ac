"""What is posted for everybody: turns and results, tables, audit, and who is told where."""
