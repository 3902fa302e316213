-- When Discord last told how many members of a server are online. Until the next check, that is when an invite was last found alive.
ALTER TABLE discord_server ADD COLUMN online_counted_at integer;
UPDATE discord_server SET online_counted_at = (SELECT max(checked_at) FROM invite
  WHERE invite.server_id = discord_server.id AND state = 'approved' AND is_valid AND failures = 0)
WHERE online_count > 0;
