-- E-mail addresses are compared without letter case: a contact's `address_key`, and that of an opt-out, is in lower case.
DROP TRIGGER contact_opted_out;
DROP TRIGGER contact_opted_in;
DROP TRIGGER contact_moved;
DROP TRIGGER contact_added;
DROP TRIGGER contact_added_opted_out;

-- An address is opted out if it was under any spelling.
INSERT INTO opt_out (kind, address_key, at)
SELECT kind, lower(address_key), min(at) FROM opt_out WHERE kind = 'email' AND address_key <> lower(address_key)
GROUP BY kind, lower(address_key)
ON CONFLICT (kind, address_key) DO UPDATE SET at = min(opt_out.at, excluded.at);
DELETE FROM opt_out WHERE kind = 'email' AND address_key <> lower(address_key);

-- Contacts that were another spelling of an older one. Links in the messages they got name them, and go on working.
CREATE TABLE merged_contact (
  id integer PRIMARY KEY NOT NULL,
  recipient_id integer NOT NULL,
  kind text NOT NULL,
  address text NOT NULL,
  address_key text NOT NULL,
  contact_id integer NOT NULL,
  FOREIGN KEY (contact_id) REFERENCES contact(id) ON UPDATE no action ON DELETE cascade
);
CREATE INDEX merged_contact_contact ON merged_contact (contact_id);
INSERT INTO merged_contact (id, recipient_id, kind, address, address_key, contact_id)
SELECT id, recipient_id, kind, address, lower(address_key), kept FROM (
  SELECT n.*, first_value(n.id) OVER (PARTITION BY lower(n.address_key) ORDER BY n.created_at, n.id) AS kept
  FROM contact n WHERE n.kind = 'email'
) WHERE id <> kept;

INSERT INTO audit (at, who, act, area, table_name, row_key, title, before, after)
SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER), 'Upgrade', 'merged', 'class_tracker', 'contact', CAST(m.id AS text),
  r.name || ': ' || m.kind || ' ' || m.address,
  json_object('id', m.id, 'recipient_id', m.recipient_id, 'address', m.address),
  json_object('id', m.contact_id, 'recipient_id', k.recipient_id, 'address', k.address)
FROM merged_contact m JOIN contact k ON k.id = m.contact_id JOIN recipient r ON r.id = m.recipient_id;

-- Their messages belong to the contact that stays, but for a second one of the same poll to the same mailbox.
UPDATE OR IGNORE delivery SET contact_id = (SELECT m.contact_id FROM merged_contact m WHERE m.id = delivery.contact_id)
WHERE contact_id IN (SELECT id FROM merged_contact);
UPDATE delivery SET state = 'canceled', last_error = 'The same address is messaged as another contact.'
WHERE contact_id IN (SELECT id FROM merged_contact) AND state IN ('queued', 'unconfirmed');

UPDATE contact SET verified_at = (
  SELECT min(d.verified_at) FROM merged_contact m JOIN contact d ON d.id = m.id WHERE m.contact_id = contact.id
) WHERE verified_at IS NULL AND id IN (SELECT contact_id FROM merged_contact);
DELETE FROM contact WHERE id IN (SELECT id FROM merged_contact);
UPDATE contact SET address_key = lower(address_key) WHERE kind = 'email' AND address_key <> lower(address_key);
UPDATE contact SET opted_out_at = (
  SELECT at FROM opt_out o WHERE o.kind = contact.kind AND o.address_key = contact.address_key
) WHERE kind = 'email' AND (kind, address_key) IN (SELECT kind, address_key FROM opt_out);

-- Whatever version of the program writes an address, its key is in lower case, and what is remembered of it is found.
CREATE TRIGGER contact_key_added AFTER INSERT ON contact WHEN NEW.kind = 'email' AND NEW.address_key <> lower(NEW.address_key)
BEGIN
  UPDATE contact SET address_key = lower(address_key) WHERE id = NEW.id;
END;

CREATE TRIGGER contact_key_changed AFTER UPDATE OF kind, address_key ON contact
WHEN NEW.kind = 'email' AND NEW.address_key <> lower(NEW.address_key)
BEGIN
  UPDATE contact SET address_key = lower(address_key) WHERE id = NEW.id;
END;

-- As in migration 0012, by the key in lower case, in whatever order the triggers run.
CREATE TRIGGER contact_opted_out AFTER UPDATE OF opted_out_at ON contact
WHEN NEW.opted_out_at IS NOT NULL AND OLD.opted_out_at IS NOT NEW.opted_out_at
BEGIN
  INSERT INTO opt_out (kind, address_key, at)
  VALUES (NEW.kind, iif(NEW.kind = 'email', lower(NEW.address_key), NEW.address_key), NEW.opted_out_at)
  ON CONFLICT (kind, address_key) DO UPDATE SET at = excluded.at;
END;

CREATE TRIGGER contact_opted_in AFTER UPDATE OF opted_out_at ON contact
WHEN NEW.opted_out_at IS NULL AND OLD.opted_out_at IS NOT NULL
  AND OLD.kind = NEW.kind AND OLD.address_key = NEW.address_key
BEGIN
  DELETE FROM opt_out
  WHERE kind = NEW.kind AND address_key = iif(NEW.kind = 'email', lower(NEW.address_key), NEW.address_key);
END;

CREATE TRIGGER contact_moved AFTER UPDATE OF kind, address_key ON contact
WHEN OLD.kind <> NEW.kind OR OLD.address_key <> NEW.address_key
BEGIN
  UPDATE contact
  SET opted_out_at = (SELECT at FROM opt_out
    WHERE kind = NEW.kind AND address_key = iif(NEW.kind = 'email', lower(NEW.address_key), NEW.address_key))
  WHERE id = NEW.id;
END;

CREATE TRIGGER contact_added AFTER INSERT ON contact WHEN NEW.opted_out_at IS NULL
BEGIN
  UPDATE contact
  SET opted_out_at = (SELECT at FROM opt_out
    WHERE kind = NEW.kind AND address_key = iif(NEW.kind = 'email', lower(NEW.address_key), NEW.address_key))
  WHERE id = NEW.id;
END;

CREATE TRIGGER contact_added_opted_out AFTER INSERT ON contact WHEN NEW.opted_out_at IS NOT NULL
BEGIN
  INSERT INTO opt_out (kind, address_key, at)
  VALUES (NEW.kind, iif(NEW.kind = 'email', lower(NEW.address_key), NEW.address_key), NEW.opted_out_at)
  ON CONFLICT (kind, address_key) DO UPDATE SET at = excluded.at;
END;
