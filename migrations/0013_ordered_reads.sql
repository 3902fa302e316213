-- When a refresh last listed the whole group. Polls read only watched sections, so the others are as old as this.
ALTER TABLE section_group ADD listed_at integer;
-- When somebody last said what a section of the group is. A read that began before says nothing newer about it.
ALTER TABLE section_group ADD edited_at integer;
UPDATE section_group SET listed_at = min(read_at, coalesce(
  (SELECT t.sections_refreshed_at FROM school_term t WHERE t.id = section_group.school_term_id), read_at))
WHERE read_at IS NOT NULL;

-- Set while a section is listed but its row cannot be believed, to the time of its last believed read.
ALTER TABLE section ADD unknown_since integer;

-- The second look before the first message: on unless it was found to mute the school.
ALTER TABLE source ADD is_second_look_on integer DEFAULT true NOT NULL;
ALTER TABLE source ADD overruled_look_count integer DEFAULT 0 NOT NULL;
ALTER TABLE source ADD flicker_count integer DEFAULT 0 NOT NULL;

-- Sections that the school's list calls open and the second look does not.
CREATE TABLE doubted_opening (
  section_id integer PRIMARY KEY NOT NULL,
  source_id integer NOT NULL,
  rounds integer NOT NULL,
  doubted_at integer NOT NULL,
  FOREIGN KEY (section_id) REFERENCES section(id) ON UPDATE no action ON DELETE cascade,
  FOREIGN KEY (source_id) REFERENCES source(id) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX doubted_opening_source ON doubted_opening (source_id);

-- What staff should know about a source. One of a kind is open at a time.
CREATE TABLE source_notice (
  id integer PRIMARY KEY NOT NULL,
  source_id integer NOT NULL,
  kind text NOT NULL,
  body text NOT NULL,
  created_at integer NOT NULL,
  dismissed_at integer,
  FOREIGN KEY (source_id) REFERENCES source(id) ON UPDATE no action ON DELETE cascade
);

CREATE UNIQUE INDEX source_notice_open ON source_notice (source_id, kind) WHERE dismissed_at IS NULL;
