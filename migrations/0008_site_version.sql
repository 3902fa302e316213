CREATE TABLE site_version (
  school_id integer PRIMARY KEY NOT NULL,
  version text NOT NULL
);

-- Whatever a public page shows of a school (0: of all of them) gives it a new version. It is kept here so that no writer can forget.
-- A version is random: none comes back, not with a restored backup either.

INSERT INTO site_version (school_id, version)
SELECT 0, hex(randomblob(8)) UNION ALL SELECT id, hex(randomblob(8)) FROM school;

CREATE TRIGGER school_versioned AFTER INSERT ON school
BEGIN
  INSERT INTO site_version (school_id, version) VALUES (NEW.id, hex(randomblob(8)))
  ON CONFLICT (school_id) DO UPDATE SET version = excluded.version;
END;

-- Its name stands on the cards of its servers, wherever else they are listed.
CREATE TRIGGER school_renamed AFTER UPDATE OF name ON school WHEN OLD.name <> NEW.name
BEGIN
  UPDATE site_version SET version = hex(randomblob(8));
END;

CREATE TRIGGER school_forgotten AFTER DELETE ON school
BEGIN
  DELETE FROM site_version WHERE school_id = OLD.id;
  UPDATE site_version SET version = hex(randomblob(8));
END;

CREATE TRIGGER listing_shown AFTER INSERT ON listing WHEN NOT NEW.is_private
BEGIN
  UPDATE site_version SET version = hex(randomblob(8)) WHERE school_id = NEW.school_id;
END;

CREATE TRIGGER listing_hidden AFTER DELETE ON listing WHEN NOT OLD.is_private
BEGIN
  UPDATE site_version SET version = hex(randomblob(8)) WHERE school_id = OLD.school_id;
END;

-- `version` rises with its texts, subjects, courses and instructors, `indexed_version` with the words it is found by.
CREATE TRIGGER server_shown_anew AFTER UPDATE OF server_id, icon, member_count, is_general_server, created_at, version, indexed_version
ON discord_server
WHEN OLD.server_id <> NEW.server_id OR OLD.icon IS NOT NEW.icon OR OLD.member_count <> NEW.member_count
  OR OLD.is_general_server <> NEW.is_general_server OR OLD.created_at <> NEW.created_at OR OLD.version <> NEW.version
  OR OLD.indexed_version <> NEW.indexed_version
BEGIN
  UPDATE site_version SET version = hex(randomblob(8))
  WHERE school_id IN (SELECT school_id FROM listing WHERE server_id = NEW.id AND NOT is_private);
END;

CREATE TRIGGER server_school_shown AFTER INSERT ON server_school
BEGIN
  UPDATE site_version SET version = hex(randomblob(8))
  WHERE school_id IN (SELECT school_id FROM listing WHERE server_id = NEW.server_id AND NOT is_private);
END;

CREATE TRIGGER server_school_hidden AFTER DELETE ON server_school
BEGIN
  UPDATE site_version SET version = hex(randomblob(8))
  WHERE school_id IN (SELECT school_id FROM listing WHERE server_id = OLD.server_id AND NOT is_private);
END;

-- Of a course only its title, and of a subject only its name, tells the servers.
CREATE TRIGGER course_recoded AFTER UPDATE OF code, level ON course WHEN OLD.code <> NEW.code OR OLD.level <> NEW.level
BEGIN
  UPDATE discord_server SET version = version + 1 WHERE id IN (SELECT server_id FROM server_course WHERE course_id = NEW.id);
END;

CREATE TRIGGER instructor_renamed AFTER UPDATE OF name ON instructor WHEN OLD.name <> NEW.name
BEGIN
  UPDATE discord_server SET version = version + 1 WHERE id IN (SELECT server_id FROM server_instructor WHERE instructor_id = NEW.id);
END;
