-- What a school tells of a section besides its seats; '' where it did not.
ALTER TABLE section ADD number text DEFAULT '' NOT NULL;
ALTER TABLE section ADD component text DEFAULT '' NOT NULL;
ALTER TABLE section ADD session text DEFAULT '' NOT NULL;
ALTER TABLE section ADD session_code text DEFAULT '' NOT NULL;
ALTER TABLE section ADD campus text DEFAULT '' NOT NULL;
ALTER TABLE section ADD place text DEFAULT '' NOT NULL;
ALTER TABLE section ADD starts_on text DEFAULT '' NOT NULL;
ALTER TABLE section ADD ends_on text DEFAULT '' NOT NULL;
ALTER TABLE section ADD credits text DEFAULT '' NOT NULL;
ALTER TABLE section ADD flags text DEFAULT '' NOT NULL;
ALTER TABLE source ADD poll_memo text;
