-- Saturday and Sunday were stored as 1, from the time when there was no other choice; now as their sum, like other days.

UPDATE user_settings SET free_weekends = 192 WHERE free_weekends = 1;
