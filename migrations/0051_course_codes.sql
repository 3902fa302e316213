-- Servers are also found by other spellings of the course codes in their texts, so the words of all of them are written again.
UPDATE discord_server SET indexed_version = 0;
