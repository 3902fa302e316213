-- A section that is no longer watched was last read by a poll, not by the refresh before it.
ALTER TABLE section ADD watched_read_at integer;

DROP TRIGGER watch_removed;
CREATE TRIGGER watch_removed AFTER DELETE ON watch WHEN OLD.archived_at IS NULL
BEGIN
  UPDATE section SET watch_count = watch_count - 1, new_watch_count = new_watch_count - OLD.is_new,
    watched_read_at = iif(OLD.is_new OR missing_since IS NOT NULL OR unknown_since IS NOT NULL, watched_read_at,
      (SELECT read_at FROM section_group WHERE id = section.group_id))
  WHERE id = OLD.section_id;
  UPDATE section_group SET watch_count = watch_count - 1 WHERE id = (SELECT group_id FROM section WHERE id = OLD.section_id);
END;

DROP TRIGGER watch_archived;
CREATE TRIGGER watch_archived AFTER UPDATE OF archived_at ON watch
WHEN (OLD.archived_at IS NULL) <> (NEW.archived_at IS NULL)
BEGIN
  UPDATE section
  SET watch_count = watch_count + (NEW.archived_at IS NULL) - (OLD.archived_at IS NULL),
      new_watch_count = new_watch_count + NEW.is_new * (NEW.archived_at IS NULL) - OLD.is_new * (OLD.archived_at IS NULL),
      watched_read_at = iif(NEW.archived_at IS NULL OR OLD.is_new OR missing_since IS NOT NULL OR unknown_since IS NOT NULL,
        watched_read_at, (SELECT read_at FROM section_group WHERE id = section.group_id))
  WHERE id = NEW.section_id;
  UPDATE section_group
  SET watch_count = watch_count + (NEW.archived_at IS NULL) - (OLD.archived_at IS NULL)
  WHERE id = (SELECT group_id FROM section WHERE id = NEW.section_id);
END;
