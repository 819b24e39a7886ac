"""House players: seats that the program itself plays, and the games that wait for them."""
