-- While a new version of the code is deployed, the old one still indexes servers, by its own rules for words. `words_version`
-- says which rules were used, so that the new code indexes them again.
ALTER TABLE discord_server ADD COLUMN words_version integer DEFAULT 0 NOT NULL;
DROP INDEX discord_server_unindexed;
CREATE INDEX discord_server_unindexed ON discord_server (id) WHERE version <> indexed_version OR words_version <> 1;
DROP TRIGGER server_shown_anew;
CREATE TRIGGER server_shown_anew
AFTER UPDATE OF server_id, icon, member_count, is_general_server, created_at, version, indexed_version, words_version
ON discord_server
WHEN OLD.server_id <> NEW.server_id OR OLD.icon IS NOT NEW.icon OR OLD.member_count <> NEW.member_count
  OR OLD.is_general_server <> NEW.is_general_server OR OLD.created_at <> NEW.created_at OR OLD.version <> NEW.version
  OR OLD.indexed_version <> NEW.indexed_version OR OLD.words_version <> NEW.words_version
BEGIN
  UPDATE site_version SET version = hex(randomblob(8))
  WHERE school_id IN (SELECT school_id FROM listing WHERE server_id = NEW.id AND NOT is_private);
END;
