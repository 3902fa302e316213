-- An address that is written in another way is tried anew as well.
DROP TRIGGER contact_tried_anew;
CREATE TRIGGER contact_tried_anew AFTER UPDATE OF kind, address, address_key, is_enabled ON contact
WHEN NEW.undeliverable_at IS NOT NULL AND OLD.undeliverable_at IS NOT NULL
  AND (NEW.kind <> OLD.kind OR NEW.address <> OLD.address OR NEW.address_key <> OLD.address_key OR NEW.is_enabled AND NOT OLD.is_enabled)
BEGIN
  UPDATE contact SET undeliverable_at = NULL, undeliverable_reason = NULL WHERE id = NEW.id;
END;
