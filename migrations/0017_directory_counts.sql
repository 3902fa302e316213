-- What public answers of the directory would otherwise have to count or scan for. Triggers keep it in the batch that changes a listing.

-- How many listed servers have a subject or course, by school (0: all of them) and privacy. Rows of 0 are removed.
CREATE TABLE listing_subject (
  school_id integer NOT NULL,
  is_private integer NOT NULL,
  subject_id integer NOT NULL,
  servers integer NOT NULL,
  PRIMARY KEY(school_id, is_private, subject_id)
) WITHOUT ROWID;
CREATE TABLE listing_course (
  school_id integer NOT NULL,
  is_private integer NOT NULL,
  course_id integer NOT NULL,
  servers integer NOT NULL,
  PRIMARY KEY(school_id, is_private, course_id)
) WITHOUT ROWID;

-- The key of every 1000th listing of a school in display order, so that the last page need not walk past all the others. Positions
-- count from 0; number is the position over 1000. with_private 0: among the public listings alone.
CREATE TABLE listing_mark (
  school_id integer NOT NULL,
  with_private integer NOT NULL,
  number integer NOT NULL,
  rank integer NOT NULL,
  sort_key text NOT NULL,
  server_id integer NOT NULL,
  PRIMARY KEY(school_id, with_private, number)
) WITHOUT ROWID;

-- How many servers have a word: a search starts from its rarest one. Rows of 0 are removed.
CREATE TABLE word_count (
  word text PRIMARY KEY NOT NULL,
  servers integer NOT NULL
) WITHOUT ROWID;

INSERT INTO listing_subject (school_id, is_private, subject_id, servers)
SELECT l.school_id, l.is_private, k.subject_id, count(*) FROM listing l JOIN server_subject k ON k.server_id = l.server_id GROUP BY 1, 2, 3;

INSERT INTO listing_course (school_id, is_private, course_id, servers)
SELECT l.school_id, l.is_private, k.course_id, count(*) FROM listing l JOIN server_course k ON k.server_id = l.server_id GROUP BY 1, 2, 3;

INSERT INTO listing_mark (school_id, with_private, number, rank, sort_key, server_id)
SELECT school_id, 1, position / 1000, rank, sort_key, server_id
FROM (SELECT *, row_number() OVER (PARTITION BY school_id ORDER BY rank, sort_key, server_id) - 1 AS position FROM listing)
WHERE position % 1000 = 0
UNION ALL
SELECT school_id, 0, position / 1000, rank, sort_key, server_id
FROM (SELECT *, row_number() OVER (PARTITION BY school_id ORDER BY rank, sort_key, server_id) - 1 AS position FROM listing WHERE NOT is_private)
WHERE position % 1000 = 0;

INSERT INTO word_count (word, servers) SELECT word, count(*) FROM server_word GROUP BY word;

-- Marks need the count of their school, and SQLite does not promise the order of two triggers of one event: one trigger does both.
DROP TRIGGER listing_added;
CREATE TRIGGER listing_added AFTER INSERT ON listing
BEGIN
  INSERT INTO listing_count (school_id, is_private, servers) VALUES (NEW.school_id, NEW.is_private, 1)
  ON CONFLICT (school_id, is_private) DO UPDATE SET servers = servers + 1;

  INSERT INTO listing_subject (school_id, is_private, subject_id, servers)
  SELECT NEW.school_id, NEW.is_private, subject_id, 1 FROM server_subject WHERE server_id = NEW.server_id
  ON CONFLICT (school_id, is_private, subject_id) DO UPDATE SET servers = servers + 1;

  INSERT INTO listing_course (school_id, is_private, course_id, servers)
  SELECT NEW.school_id, NEW.is_private, course_id, 1 FROM server_course WHERE server_id = NEW.server_id
  ON CONFLICT (school_id, is_private, course_id) DO UPDATE SET servers = servers + 1;

  -- Everything after the new listing moves by one position, so a mark there moves to the listing before its own. A plus sign keeps the
  -- affinity of a column out of the comparison, or the index would serve its first column only.
  UPDATE listing_mark SET (rank, sort_key, server_id) = (
    SELECT l.rank, l.sort_key, l.server_id FROM listing l
    WHERE l.school_id = NEW.school_id
      AND (l.rank, l.sort_key, l.server_id) < (+listing_mark.rank, +listing_mark.sort_key, +listing_mark.server_id)
    ORDER BY l.rank DESC, l.sort_key DESC, l.server_id DESC LIMIT 1)
  WHERE school_id = NEW.school_id AND with_private = 1 AND (rank, sort_key, server_id) > (NEW.rank, NEW.sort_key, NEW.server_id);

  UPDATE listing_mark SET (rank, sort_key, server_id) = (
    SELECT l.rank, l.sort_key, l.server_id FROM listing l
    WHERE l.school_id = NEW.school_id AND NOT l.is_private
      AND (l.rank, l.sort_key, l.server_id) < (+listing_mark.rank, +listing_mark.sort_key, +listing_mark.server_id)
    ORDER BY l.rank DESC, l.sort_key DESC, l.server_id DESC LIMIT 1)
  WHERE NOT NEW.is_private AND school_id = NEW.school_id AND with_private = 0
    AND (rank, sort_key, server_id) > (NEW.rank, NEW.sort_key, NEW.server_id);

  -- The last listing gets a mark of its own when its position is a multiple of 1000.
  INSERT INTO listing_mark (school_id, with_private, number, rank, sort_key, server_id)
  SELECT NEW.school_id, 1, (c.total - 1) / 1000, l.rank, l.sort_key, l.server_id
  FROM (SELECT sum(servers) AS total FROM listing_count WHERE school_id = NEW.school_id) c
  JOIN (SELECT rank, sort_key, server_id FROM listing WHERE school_id = NEW.school_id
        ORDER BY rank DESC, sort_key DESC, server_id DESC LIMIT 1) l
  WHERE (c.total - 1) % 1000 = 0
  ON CONFLICT (school_id, with_private, number) DO UPDATE SET rank = excluded.rank, sort_key = excluded.sort_key, server_id = excluded.server_id;

  INSERT INTO listing_mark (school_id, with_private, number, rank, sort_key, server_id)
  SELECT NEW.school_id, 0, (c.servers - 1) / 1000, l.rank, l.sort_key, l.server_id
  FROM listing_count c
  JOIN (SELECT rank, sort_key, server_id FROM listing WHERE school_id = NEW.school_id AND NOT is_private
        ORDER BY rank DESC, sort_key DESC, server_id DESC LIMIT 1) l
  WHERE NOT NEW.is_private AND c.school_id = NEW.school_id AND c.is_private = 0 AND (c.servers - 1) % 1000 = 0
  ON CONFLICT (school_id, with_private, number) DO UPDATE SET rank = excluded.rank, sort_key = excluded.sort_key, server_id = excluded.server_id;
END;

DROP TRIGGER listing_removed;
CREATE TRIGGER listing_removed AFTER DELETE ON listing
BEGIN
  UPDATE listing_count SET servers = servers - 1 WHERE school_id = OLD.school_id AND is_private = OLD.is_private;

  UPDATE listing_subject SET servers = servers - 1
  WHERE school_id = OLD.school_id AND is_private = OLD.is_private
    AND subject_id IN (SELECT subject_id FROM server_subject WHERE server_id = OLD.server_id);
  DELETE FROM listing_subject
  WHERE school_id = OLD.school_id AND is_private = OLD.is_private AND servers <= 0
    AND subject_id IN (SELECT subject_id FROM server_subject WHERE server_id = OLD.server_id);

  UPDATE listing_course SET servers = servers - 1
  WHERE school_id = OLD.school_id AND is_private = OLD.is_private
    AND course_id IN (SELECT course_id FROM server_course WHERE server_id = OLD.server_id);
  DELETE FROM listing_course
  WHERE school_id = OLD.school_id AND is_private = OLD.is_private AND servers <= 0
    AND course_id IN (SELECT course_id FROM server_course WHERE server_id = OLD.server_id);

  -- A position past the end loses its mark; the other marks from the removed listing on move to the listing after their own.
  DELETE FROM listing_mark
  WHERE school_id = OLD.school_id AND with_private = 1
    AND number * 1000 >= (SELECT COALESCE(sum(servers), 0) FROM listing_count WHERE school_id = OLD.school_id);
  DELETE FROM listing_mark
  WHERE NOT OLD.is_private AND school_id = OLD.school_id AND with_private = 0
    AND number * 1000 >= (SELECT COALESCE(sum(servers), 0) FROM listing_count WHERE school_id = OLD.school_id AND is_private = 0);

  UPDATE listing_mark SET (rank, sort_key, server_id) = (
    SELECT l.rank, l.sort_key, l.server_id FROM listing l
    WHERE l.school_id = OLD.school_id
      AND (l.rank, l.sort_key, l.server_id) > (+listing_mark.rank, +listing_mark.sort_key, +listing_mark.server_id)
    ORDER BY l.rank, l.sort_key, l.server_id LIMIT 1)
  WHERE school_id = OLD.school_id AND with_private = 1 AND (rank, sort_key, server_id) >= (OLD.rank, OLD.sort_key, OLD.server_id);

  UPDATE listing_mark SET (rank, sort_key, server_id) = (
    SELECT l.rank, l.sort_key, l.server_id FROM listing l
    WHERE l.school_id = OLD.school_id AND NOT l.is_private
      AND (l.rank, l.sort_key, l.server_id) > (+listing_mark.rank, +listing_mark.sort_key, +listing_mark.server_id)
    ORDER BY l.rank, l.sort_key, l.server_id LIMIT 1)
  WHERE NOT OLD.is_private AND school_id = OLD.school_id AND with_private = 0
    AND (rank, sort_key, server_id) >= (OLD.rank, OLD.sort_key, OLD.server_id);
END;

CREATE TRIGGER listing_subject_added AFTER INSERT ON server_subject
BEGIN
  INSERT INTO listing_subject (school_id, is_private, subject_id, servers)
  SELECT school_id, is_private, NEW.subject_id, 1 FROM listing WHERE server_id = NEW.server_id
  ON CONFLICT (school_id, is_private, subject_id) DO UPDATE SET servers = servers + 1;
END;

CREATE TRIGGER listing_subject_removed AFTER DELETE ON server_subject
BEGIN
  UPDATE listing_subject SET servers = servers - 1
  WHERE subject_id = OLD.subject_id AND (school_id, is_private) IN (SELECT school_id, is_private FROM listing WHERE server_id = OLD.server_id);
  DELETE FROM listing_subject
  WHERE subject_id = OLD.subject_id AND servers <= 0
    AND (school_id, is_private) IN (SELECT school_id, is_private FROM listing WHERE server_id = OLD.server_id);
END;

CREATE TRIGGER listing_course_added AFTER INSERT ON server_course
BEGIN
  INSERT INTO listing_course (school_id, is_private, course_id, servers)
  SELECT school_id, is_private, NEW.course_id, 1 FROM listing WHERE server_id = NEW.server_id
  ON CONFLICT (school_id, is_private, course_id) DO UPDATE SET servers = servers + 1;
END;

CREATE TRIGGER listing_course_removed AFTER DELETE ON server_course
BEGIN
  UPDATE listing_course SET servers = servers - 1
  WHERE course_id = OLD.course_id AND (school_id, is_private) IN (SELECT school_id, is_private FROM listing WHERE server_id = OLD.server_id);
  DELETE FROM listing_course
  WHERE course_id = OLD.course_id AND servers <= 0
    AND (school_id, is_private) IN (SELECT school_id, is_private FROM listing WHERE server_id = OLD.server_id);
END;

CREATE TRIGGER word_added AFTER INSERT ON server_word
BEGIN
  INSERT INTO word_count (word, servers) VALUES (NEW.word, 1) ON CONFLICT (word) DO UPDATE SET servers = servers + 1;
END;

CREATE TRIGGER word_removed AFTER DELETE ON server_word
BEGIN
  UPDATE word_count SET servers = servers - 1 WHERE word = OLD.word;
  DELETE FROM word_count WHERE word = OLD.word AND servers <= 0;
END;
