-- Ladders: no absences of their own. Who cannot answer a challenge because its channel takes no posts is excused.

DELETE FROM absences WHERE guild < 0;
ALTER TABLE ladders DROP COLUMN challenged;
