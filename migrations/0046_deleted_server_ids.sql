-- A shared link, an open page and the history of a deleted server must not mean the next one.
CREATE TRIGGER discord_server_id_deleted AFTER DELETE ON discord_server WHEN OLD.id > (SELECT coalesce(max(id), 0) FROM discord_server)
BEGIN
  INSERT INTO deleted_id (table_name, id) VALUES ('discord_server', OLD.id) ON CONFLICT (table_name) DO UPDATE SET id = max(id, excluded.id);
END;
