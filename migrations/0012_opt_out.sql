CREATE TABLE opt_out (
  kind text NOT NULL,
  address_key text NOT NULL,
  at integer NOT NULL,
  PRIMARY KEY(kind, address_key)
);

INSERT INTO opt_out (kind, address_key, at)
SELECT kind, address_key, opted_out_at FROM contact WHERE opted_out_at IS NOT NULL;

-- Who wants no messages is remembered by address, whatever becomes of the contact. A contact's `opted_out_at` is always what is
-- remembered of its address; it is kept so here, so that no writer can forget.
CREATE TRIGGER contact_opted_out AFTER UPDATE OF opted_out_at ON contact
WHEN NEW.opted_out_at IS NOT NULL AND OLD.opted_out_at IS NOT NEW.opted_out_at
BEGIN
  INSERT INTO opt_out (kind, address_key, at) VALUES (NEW.kind, NEW.address_key, NEW.opted_out_at)
  ON CONFLICT (kind, address_key) DO UPDATE SET at = excluded.at;
END;

CREATE TRIGGER contact_opted_in AFTER UPDATE OF opted_out_at ON contact
WHEN NEW.opted_out_at IS NULL AND OLD.opted_out_at IS NOT NULL
  AND OLD.kind = NEW.kind AND OLD.address_key = NEW.address_key
BEGIN
  DELETE FROM opt_out WHERE kind = NEW.kind AND address_key = NEW.address_key;
END;

CREATE TRIGGER contact_moved AFTER UPDATE OF kind, address_key ON contact
WHEN OLD.kind <> NEW.kind OR OLD.address_key <> NEW.address_key
BEGIN
  UPDATE contact
  SET opted_out_at = (SELECT at FROM opt_out WHERE kind = NEW.kind AND address_key = NEW.address_key)
  WHERE id = NEW.id;
END;

CREATE TRIGGER contact_added AFTER INSERT ON contact WHEN NEW.opted_out_at IS NULL
BEGIN
  UPDATE contact
  SET opted_out_at = (SELECT at FROM opt_out WHERE kind = NEW.kind AND address_key = NEW.address_key)
  WHERE id = NEW.id;
END;

CREATE TRIGGER contact_added_opted_out AFTER INSERT ON contact WHEN NEW.opted_out_at IS NOT NULL
BEGIN
  INSERT INTO opt_out (kind, address_key, at) VALUES (NEW.kind, NEW.address_key, NEW.opted_out_at)
  ON CONFLICT (kind, address_key) DO UPDATE SET at = excluded.at;
END;
