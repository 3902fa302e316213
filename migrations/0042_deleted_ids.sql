-- The largest id that a deleted row had, because SQLite gives it to the next row. Pages and the audit still mean the deleted row.
CREATE TABLE deleted_id (
  table_name text PRIMARY KEY NOT NULL,
  id integer NOT NULL
);

CREATE TRIGGER invite_id_deleted AFTER DELETE ON invite WHEN OLD.id > (SELECT coalesce(max(id), 0) FROM invite)
BEGIN
  INSERT INTO deleted_id (table_name, id) VALUES ('invite', OLD.id) ON CONFLICT (table_name) DO UPDATE SET id = max(id, excluded.id);
END;

CREATE TRIGGER server_report_id_deleted AFTER DELETE ON server_report WHEN OLD.id > (SELECT coalesce(max(id), 0) FROM server_report)
BEGIN
  INSERT INTO deleted_id (table_name, id) VALUES ('server_report', OLD.id) ON CONFLICT (table_name) DO UPDATE SET id = max(id, excluded.id);
END;

CREATE TRIGGER user_id_deleted AFTER DELETE ON user WHEN OLD.id > (SELECT coalesce(max(id), 0) FROM user)
BEGIN
  INSERT INTO deleted_id (table_name, id) VALUES ('user', OLD.id) ON CONFLICT (table_name) DO UPDATE SET id = max(id, excluded.id);
END;

CREATE TRIGGER discord_user_id_deleted AFTER DELETE ON discord_user WHEN OLD.id > (SELECT coalesce(max(id), 0) FROM discord_user)
BEGIN
  INSERT INTO deleted_id (table_name, id) VALUES ('discord_user', OLD.id) ON CONFLICT (table_name) DO UPDATE SET id = max(id, excluded.id);
END;
