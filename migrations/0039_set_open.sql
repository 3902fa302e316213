-- When a person last set a section to open: evidence beside the readings of its school.
ALTER TABLE section ADD COLUMN set_open_at integer;
