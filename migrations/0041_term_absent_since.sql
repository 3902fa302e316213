-- Since when a school's lists of terms lack an available term: one short list does not make it unavailable.
ALTER TABLE school_term ADD COLUMN absent_since integer;
