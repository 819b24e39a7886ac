-- A ladder's state names the entry of each waiting challenge: it is computed from the entries again.

UPDATE ladders SET state = NULL;
