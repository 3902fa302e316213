-- The privacy an administrator last chose for a server, so that undoing an approval does not undo that choice.
ALTER TABLE discord_server ADD COLUMN admin_privacy_level text;
ALTER TABLE discord_server ADD COLUMN admin_privacy_at integer;
UPDATE discord_server SET admin_privacy_level = chosen.level, admin_privacy_at = chosen.at
FROM (SELECT row_key, after ->> 'privacy_level' AS level, max(at) AS at FROM audit
  WHERE area = 'admin' AND table_name = 'discord_server' AND after ->> 'privacy_level' IN ('public', 'private')
  GROUP BY row_key) AS chosen
WHERE discord_server.id = CAST(chosen.row_key AS INTEGER);
