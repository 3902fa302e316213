CREATE TABLE audit (
  id integer PRIMARY KEY NOT NULL,
  at integer NOT NULL,
  user_id integer,
  who text NOT NULL,
  ip_address text,
  country text,
  act text NOT NULL,
  area text NOT NULL,
  table_name text NOT NULL,
  row_key text NOT NULL,
  title text NOT NULL,
  before text,
  after text,
  words text GENERATED ALWAYS AS (lower(who || ' ' || act || ' ' || table_name || ' ' || title)) VIRTUAL
);

CREATE INDEX audit_row ON audit (table_name, row_key, id);
CREATE INDEX audit_user ON audit (user_id, id);

-- What was done stays as it was written down.
CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit
BEGIN
  SELECT RAISE(ABORT, 'The audit is append-only.');
END;
CREATE TRIGGER audit_kept BEFORE DELETE ON audit
BEGIN
  SELECT RAISE(ABORT, 'The audit is append-only.');
END;
