-- The privacy an administrator last chose for a server, so that undoing an approval does not undo that choice.
ALTER TABLE discord_server ADD COLUMN admin_privacy_level text;
ALTER TABLE discord_server ADD COLUMN admin_privacy_at integer;
-- A server that differs from its latest approved invite was changed by an administrator.
UPDATE discord_server SET admin_privacy_level = privacy_level, admin_privacy_at = CAST(unixepoch('subsec') * 1000 AS INTEGER)
WHERE privacy_level <> (SELECT privacy_level FROM invite WHERE invite.server_id = discord_server.id AND state = 'approved'
  ORDER BY decided_at DESC LIMIT 1);
