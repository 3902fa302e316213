-- An opening was held back because of a message that then did not arrive: it need not wait anymore.
CREATE TRIGGER watch_last_alert_cleared AFTER UPDATE OF last_alert_at ON watch
WHEN OLD.last_alert_at IS NOT NULL AND NEW.last_alert_at IS NULL
BEGIN
  UPDATE class_alert SET release_at = min(release_at, CAST(unixepoch('subsec') * 1000 AS INTEGER))
  WHERE section_id = NEW.section_id AND recipient_id = NEW.recipient_id
    AND poll_id IS NULL AND canceled_at IS NULL AND wave = 0;
END;
