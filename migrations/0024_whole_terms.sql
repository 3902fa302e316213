-- A section that a reading of its whole term did not list is missing once the next one does not list it either.
ALTER TABLE section ADD unlisted_at integer;
