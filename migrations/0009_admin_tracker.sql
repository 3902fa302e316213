ALTER TABLE school ADD is_preferred integer DEFAULT false NOT NULL;
ALTER TABLE term ADD is_preferred integer DEFAULT false NOT NULL;
ALTER TABLE school_term ADD is_availability_kept integer DEFAULT false NOT NULL;

CREATE INDEX school_name ON school (lower(name));
CREATE INDEX subject_name ON subject (lower(name));
CREATE INDEX course_name ON course (lower(code || ' ' || level));
CREATE INDEX course_title ON course (lower(title));
CREATE INDEX section_number ON section (lower(section_key));
CREATE INDEX section_school_term ON section (school_term_id);
CREATE INDEX section_watched_id ON section (id) WHERE watch_count > 0;
CREATE INDEX watch_of_section ON watch (section_id);
CREATE INDEX contact_address_text ON contact (lower(address));
CREATE INDEX delivery_failed ON delivery (id) WHERE state = 'failed';

-- The watches of a deleted section go after it, when nothing tells any more which group they were counted in.
CREATE TRIGGER section_removed AFTER DELETE ON section WHEN OLD.watch_count > 0
BEGIN
  UPDATE section_group SET watch_count = watch_count - OLD.watch_count WHERE id = OLD.group_id;
END;
