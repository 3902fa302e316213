-- A device that takes notifications is a contact: this is what it is called. Its address is the endpoint at its push service with
-- the keys behind a #.
ALTER TABLE contact ADD COLUMN device text DEFAULT '' NOT NULL;

-- The recipient's own page: the version its link is signed with, and what they chose there.
ALTER TABLE recipient ADD COLUMN link_version integer DEFAULT 1 NOT NULL;
ALTER TABLE recipient ADD COLUMN time_zone text DEFAULT '' NOT NULL;
ALTER TABLE recipient ADD COLUMN quiet_from integer;
ALTER TABLE recipient ADD COLUMN quiet_until integer;
ALTER TABLE recipient ADD COLUMN quiet_starts_at integer;
ALTER TABLE recipient ADD COLUMN quiet_ends_at integer;
ALTER TABLE recipient ADD COLUMN is_push_silent integer DEFAULT false NOT NULL;
ALTER TABLE recipient ADD COLUMN paused_until integer;
ALTER TABLE recipient ADD COLUMN is_reminded integer DEFAULT true NOT NULL;
ALTER TABLE recipient ADD COLUMN is_sms_at_once integer DEFAULT false NOT NULL;
CREATE INDEX recipient_quiet ON recipient (quiet_ends_at) WHERE quiet_ends_at IS NOT NULL;

-- A notification in quiet hours: without sound.
ALTER TABLE delivery ADD COLUMN is_silent integer DEFAULT false NOT NULL;
