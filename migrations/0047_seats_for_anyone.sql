-- Of a section's free seats, those that anyone may take, if they are fewer: the others are reserved or shared.
ALTER TABLE section ADD COLUMN seats_for_anyone INTEGER;

DROP INDEX section_watched;
CREATE INDEX section_watched ON section
  (group_id, section_key, status, seats_available, seats_for_anyone, capacity, waitlist_available, version, new_watch_count, course_level)
  WHERE watch_count > 0;
