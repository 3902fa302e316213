-- The last day of a school's term as the school tells it, so that a reading that does not tell it changes nothing.
ALTER TABLE school_term ADD ends_on text DEFAULT '' NOT NULL;
