ALTER TABLE discord_user ADD COLUMN unlinked_at integer;
DROP INDEX discord_user_user_id_unique;
CREATE UNIQUE INDEX discord_user_linked ON discord_user (user_id) WHERE unlinked_at IS NULL;
CREATE INDEX discord_user_user ON discord_user (user_id);
