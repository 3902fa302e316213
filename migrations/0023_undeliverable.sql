-- The provider says that nothing will ever arrive there: the mailbox bounced, the number does not exist. Null while messages may arrive.
ALTER TABLE contact ADD COLUMN undeliverable_at integer;
-- Why, in a sentence for staff.
ALTER TABLE contact ADD COLUMN undeliverable_reason text;

-- Another address, or somebody turned the contact off and on again: it is tried anew.
CREATE TRIGGER contact_tried_anew AFTER UPDATE OF kind, address_key, is_enabled ON contact
WHEN NEW.undeliverable_at IS NOT NULL AND OLD.undeliverable_at IS NOT NULL
  AND (NEW.kind <> OLD.kind OR NEW.address_key <> OLD.address_key OR NEW.is_enabled AND NOT OLD.is_enabled)
BEGIN
  UPDATE contact SET undeliverable_at = NULL, undeliverable_reason = NULL WHERE id = NEW.id;
END;
