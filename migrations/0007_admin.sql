CREATE TABLE admin_count (
  table_name text PRIMARY KEY NOT NULL,
  row_count integer NOT NULL,
  counted_at integer NOT NULL
);

CREATE INDEX recipient_name ON recipient (lower(name));
CREATE INDEX audit_at ON audit (at);
CREATE INDEX audit_act ON audit (act);
CREATE INDEX audit_area ON audit (area);
