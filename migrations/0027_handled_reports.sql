-- What became of a report: null until a manager handles it.
ALTER TABLE server_report ADD COLUMN handled_at integer;
ALTER TABLE server_report ADD COLUMN handled_by integer REFERENCES discord_user (id) ON DELETE SET NULL;
ALTER TABLE server_report ADD COLUMN outcome text NOT NULL DEFAULT '';
CREATE INDEX server_report_open ON server_report (created_at) WHERE handled_at IS NULL;
CREATE INDEX server_report_handled_by ON server_report (handled_by);
