"""What every server uses: tables, moves, the composer, boards, announcements, clocks, and referees."""
