CREATE TABLE discord_server (
  id integer PRIMARY KEY NOT NULL,
  server_id text NOT NULL,
  name text NOT NULL,
  custom_title text DEFAULT '' NOT NULL,
  description text DEFAULT '' NOT NULL,
  icon text,
  member_count integer DEFAULT 0 NOT NULL,
  online_count integer DEFAULT 0 NOT NULL,
  privacy_level text NOT NULL CHECK (privacy_level IN ('public', 'private')),
  is_active integer DEFAULT true NOT NULL,
  is_required_for_trust integer DEFAULT false NOT NULL,
  is_general_server integer DEFAULT false NOT NULL,
  valid_invite_count integer DEFAULT 0 NOT NULL,
  sort_key text DEFAULT '' NOT NULL,
  version integer DEFAULT 1 NOT NULL,
  indexed_version integer DEFAULT 0 NOT NULL,
  created_at integer NOT NULL
);

CREATE UNIQUE INDEX discord_server_server_id_unique ON discord_server (server_id);
CREATE INDEX discord_server_unindexed ON discord_server (id) WHERE version <> indexed_version;
CREATE INDEX discord_server_trusted ON discord_server (server_id) WHERE is_required_for_trust;
CREATE TABLE invite (
  id integer PRIMARY KEY NOT NULL,
  code text NOT NULL,
  server_id integer NOT NULL,
  submitter_id integer,
  state text DEFAULT 'pending' NOT NULL CHECK (state IN ('pending', 'approved', 'rejected', 'expired')),
  notes_md text DEFAULT '' NOT NULL,
  privacy_level text NOT NULL CHECK (privacy_level IN ('public', 'private')),
  school_id integer,
  subject_id integer,
  is_valid integer DEFAULT true NOT NULL,
  expires_at integer,
  uses_count integer DEFAULT 0 NOT NULL,
  created_at integer NOT NULL,
  decided_at integer,
  decided_by integer,
  decision_key text,
  reason text DEFAULT '' NOT NULL,
  checked_at integer,
  due_at integer NOT NULL,
  failures integer DEFAULT 0 NOT NULL,
  first_failed_at integer,
  quarantined_at integer,
  FOREIGN KEY (server_id) REFERENCES discord_server(id) ON UPDATE no action ON DELETE cascade,
  FOREIGN KEY (submitter_id) REFERENCES discord_user(id) ON UPDATE no action ON DELETE set null,
  FOREIGN KEY (school_id) REFERENCES school(id) ON UPDATE no action ON DELETE set null,
  FOREIGN KEY (subject_id) REFERENCES subject(id) ON UPDATE no action ON DELETE set null,
  FOREIGN KEY (decided_by) REFERENCES discord_user(id) ON UPDATE no action ON DELETE set null
);

CREATE UNIQUE INDEX invite_code ON invite (code) WHERE state IN ('pending', 'approved');
CREATE INDEX invite_server ON invite (server_id, state);
CREATE INDEX invite_submitter ON invite (submitter_id, created_at);
CREATE INDEX invite_pending ON invite (created_at) WHERE state = 'pending';
CREATE INDEX invite_due ON invite (due_at) WHERE state IN ('pending', 'approved');
CREATE INDEX invite_decision_key ON invite (decision_key);
CREATE INDEX invite_decided_by ON invite (decided_by);
CREATE INDEX invite_school ON invite (school_id);
CREATE INDEX invite_subject ON invite (subject_id);
CREATE TABLE instructor (
  id integer PRIMARY KEY NOT NULL,
  school_id integer NOT NULL,
  name text NOT NULL,
  FOREIGN KEY (school_id) REFERENCES school(id) ON UPDATE no action ON DELETE cascade
);

CREATE UNIQUE INDEX instructor_name ON instructor (school_id, name);
CREATE TABLE instructor_subject (
  subject_id integer NOT NULL,
  instructor_id integer NOT NULL,
  PRIMARY KEY(subject_id, instructor_id),
  FOREIGN KEY (subject_id) REFERENCES subject(id) ON UPDATE no action ON DELETE cascade,
  FOREIGN KEY (instructor_id) REFERENCES instructor(id) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX instructor_subject_instructor ON instructor_subject (instructor_id);
CREATE TABLE instructor_refresh (
  school_term_id integer PRIMARY KEY NOT NULL,
  sections_refreshed_at integer NOT NULL,
  FOREIGN KEY (school_term_id) REFERENCES school_term(id) ON UPDATE no action ON DELETE cascade
);
CREATE TABLE invite_course (
  invite_id integer NOT NULL,
  course_id integer NOT NULL,
  PRIMARY KEY(invite_id, course_id),
  FOREIGN KEY (invite_id) REFERENCES invite(id) ON UPDATE no action ON DELETE cascade,
  FOREIGN KEY (course_id) REFERENCES course(id) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX invite_course_course ON invite_course (course_id);
CREATE TABLE invite_instructor (
  invite_id integer NOT NULL,
  instructor_id integer NOT NULL,
  PRIMARY KEY(invite_id, instructor_id),
  FOREIGN KEY (invite_id) REFERENCES invite(id) ON UPDATE no action ON DELETE cascade,
  FOREIGN KEY (instructor_id) REFERENCES instructor(id) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX invite_instructor_instructor ON invite_instructor (instructor_id);
CREATE TABLE server_school (
  server_id integer NOT NULL,
  school_id integer NOT NULL,
  invite_id integer,
  PRIMARY KEY(server_id, school_id),
  FOREIGN KEY (server_id) REFERENCES discord_server(id) ON UPDATE no action ON DELETE cascade,
  FOREIGN KEY (school_id) REFERENCES school(id) ON UPDATE no action ON DELETE cascade,
  FOREIGN KEY (invite_id) REFERENCES invite(id) ON UPDATE no action ON DELETE set null
);

CREATE INDEX server_school_school ON server_school (school_id);
CREATE INDEX server_school_invite ON server_school (invite_id);
CREATE TABLE server_subject (
  server_id integer NOT NULL,
  subject_id integer NOT NULL,
  invite_id integer,
  PRIMARY KEY(server_id, subject_id),
  FOREIGN KEY (server_id) REFERENCES discord_server(id) ON UPDATE no action ON DELETE cascade,
  FOREIGN KEY (subject_id) REFERENCES subject(id) ON UPDATE no action ON DELETE cascade,
  FOREIGN KEY (invite_id) REFERENCES invite(id) ON UPDATE no action ON DELETE set null
);

CREATE INDEX server_subject_subject ON server_subject (subject_id);
CREATE INDEX server_subject_invite ON server_subject (invite_id);
CREATE TABLE server_course (
  server_id integer NOT NULL,
  course_id integer NOT NULL,
  invite_id integer,
  PRIMARY KEY(server_id, course_id),
  FOREIGN KEY (server_id) REFERENCES discord_server(id) ON UPDATE no action ON DELETE cascade,
  FOREIGN KEY (course_id) REFERENCES course(id) ON UPDATE no action ON DELETE cascade,
  FOREIGN KEY (invite_id) REFERENCES invite(id) ON UPDATE no action ON DELETE set null
);

CREATE INDEX server_course_course ON server_course (course_id);
CREATE INDEX server_course_invite ON server_course (invite_id);
CREATE TABLE server_instructor (
  server_id integer NOT NULL,
  instructor_id integer NOT NULL,
  invite_id integer,
  PRIMARY KEY(server_id, instructor_id),
  FOREIGN KEY (server_id) REFERENCES discord_server(id) ON UPDATE no action ON DELETE cascade,
  FOREIGN KEY (instructor_id) REFERENCES instructor(id) ON UPDATE no action ON DELETE cascade,
  FOREIGN KEY (invite_id) REFERENCES invite(id) ON UPDATE no action ON DELETE set null
);

CREATE INDEX server_instructor_instructor ON server_instructor (instructor_id);
CREATE INDEX server_instructor_invite ON server_instructor (invite_id);
CREATE TABLE listing (
  school_id integer NOT NULL,
  server_id integer NOT NULL,
  is_private integer NOT NULL,
  rank integer NOT NULL,
  sort_key text NOT NULL,
  created_at integer NOT NULL,
  PRIMARY KEY(school_id, server_id),
  FOREIGN KEY (server_id) REFERENCES discord_server(id) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;

CREATE INDEX listing_server ON listing (server_id);
CREATE INDEX listing_order ON listing (school_id, rank, sort_key, server_id);
CREATE INDEX listing_public_order ON listing (school_id, rank, sort_key, server_id) WHERE NOT is_private;
CREATE INDEX listing_newest ON listing (school_id, rank, is_private, created_at);
CREATE TABLE listing_count (
  school_id integer NOT NULL,
  is_private integer NOT NULL,
  servers integer NOT NULL,
  PRIMARY KEY(school_id, is_private)
) WITHOUT ROWID;
CREATE TABLE server_word (
  word text NOT NULL,
  server_id integer NOT NULL,
  PRIMARY KEY(word, server_id),
  FOREIGN KEY (server_id) REFERENCES discord_server(id) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;

CREATE INDEX server_word_server ON server_word (server_id);
CREATE TABLE invite_decision (
  id integer PRIMARY KEY NOT NULL,
  invite_id integer NOT NULL,
  decision text NOT NULL,
  decided_by integer,
  reason text DEFAULT '' NOT NULL,
  created_at integer NOT NULL,
  FOREIGN KEY (invite_id) REFERENCES invite(id) ON UPDATE no action ON DELETE cascade,
  FOREIGN KEY (decided_by) REFERENCES discord_user(id) ON UPDATE no action ON DELETE set null
);

CREATE INDEX invite_decision_invite ON invite_decision (invite_id, created_at);
CREATE INDEX invite_decision_by ON invite_decision (decided_by);
CREATE TABLE invite_use (
  id integer PRIMARY KEY NOT NULL,
  invite_id integer NOT NULL,
  visitor text NOT NULL,
  used_at integer NOT NULL,
  FOREIGN KEY (invite_id) REFERENCES invite(id) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX invite_use_visitor ON invite_use (invite_id, visitor, used_at);
CREATE INDEX invite_use_at ON invite_use (invite_id, used_at);
CREATE TABLE referral (
  id integer PRIMARY KEY NOT NULL,
  code text NOT NULL,
  owner_id integer NOT NULL,
  max_uses integer NOT NULL,
  num_uses integer DEFAULT 0 NOT NULL,
  expiry_timeframe text NOT NULL,
  created_at integer NOT NULL,
  expires_at integer,
  revoked_at integer,
  CHECK (max_uses = 0 OR num_uses <= max_uses),
  FOREIGN KEY (owner_id) REFERENCES discord_user(id) ON UPDATE no action ON DELETE cascade
);

CREATE UNIQUE INDEX referral_code_unique ON referral (code);
CREATE INDEX referral_owner ON referral (owner_id, created_at);
CREATE TABLE redemption (
  id integer PRIMARY KEY NOT NULL,
  referral_id integer NOT NULL,
  discord_id text NOT NULL,
  created_at integer NOT NULL,
  FOREIGN KEY (referral_id) REFERENCES referral(id) ON UPDATE no action ON DELETE cascade
);

CREATE UNIQUE INDEX redemption_person ON redemption (referral_id, discord_id);
CREATE INDEX redemption_discord ON redemption (discord_id);
CREATE TABLE server_report (
  id integer PRIMARY KEY NOT NULL,
  server_id integer NOT NULL,
  reporter_id integer NOT NULL,
  reason text NOT NULL,
  created_at integer NOT NULL,
  FOREIGN KEY (server_id) REFERENCES discord_server(id) ON UPDATE no action ON DELETE cascade,
  FOREIGN KEY (reporter_id) REFERENCES discord_user(id) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX server_report_reporter ON server_report (server_id, reporter_id, created_at);
CREATE INDEX server_report_user ON server_report (reporter_id);
CREATE TABLE notice (
  id integer PRIMARY KEY NOT NULL,
  discord_user_id integer NOT NULL,
  kind text NOT NULL,
  title text NOT NULL,
  body text NOT NULL,
  url text DEFAULT '' NOT NULL,
  invite_id integer,
  created_at integer NOT NULL,
  read_at integer,
  FOREIGN KEY (discord_user_id) REFERENCES discord_user(id) ON UPDATE no action ON DELETE cascade,
  FOREIGN KEY (invite_id) REFERENCES invite(id) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX notice_of_user ON notice (discord_user_id, created_at);
CREATE INDEX notice_unread ON notice (discord_user_id, created_at) WHERE read_at IS NULL;
CREATE INDEX notice_invite ON notice (invite_id);
CREATE TABLE school_choice (
  discord_user_id integer PRIMARY KEY NOT NULL,
  chosen_at integer NOT NULL,
  FOREIGN KEY (discord_user_id) REFERENCES discord_user(id) ON UPDATE no action ON DELETE cascade
);
CREATE TABLE invite_lookup (
  code text PRIMARY KEY NOT NULL,
  answer text,
  fetched_at integer NOT NULL
);

CREATE INDEX invite_lookup_fetched ON invite_lookup (fetched_at);

-- What follows is derived from the tables above. It is kept here so that no writer can forget, and a page reads only its own rows.

-- A server is listed while one of its approved invites lives.
CREATE TRIGGER invite_counted AFTER INSERT ON invite WHEN NEW.state = 'approved'
BEGIN
  UPDATE discord_server SET valid_invite_count = (SELECT count(*) FROM invite WHERE server_id = NEW.server_id AND state = 'approved' AND is_valid)
  WHERE id = NEW.server_id;
END;

CREATE TRIGGER invite_recounted AFTER UPDATE OF state, is_valid, server_id ON invite
WHEN OLD.state <> NEW.state OR OLD.is_valid <> NEW.is_valid OR OLD.server_id <> NEW.server_id
BEGIN
  UPDATE discord_server SET valid_invite_count = (SELECT count(*) FROM invite i WHERE i.server_id = discord_server.id AND i.state = 'approved' AND i.is_valid)
  WHERE id IN (OLD.server_id, NEW.server_id);
END;

CREATE TRIGGER invite_uncounted AFTER DELETE ON invite WHEN OLD.state = 'approved'
BEGIN
  UPDATE discord_server SET valid_invite_count = (SELECT count(*) FROM invite WHERE server_id = OLD.server_id AND state = 'approved' AND is_valid)
  WHERE id = OLD.server_id;
END;

CREATE TRIGGER server_listed AFTER UPDATE OF valid_invite_count, is_active, privacy_level, is_required_for_trust, sort_key ON discord_server
WHEN (OLD.valid_invite_count > 0) <> (NEW.valid_invite_count > 0) OR OLD.is_active <> NEW.is_active OR OLD.privacy_level <> NEW.privacy_level
  OR OLD.is_required_for_trust <> NEW.is_required_for_trust OR OLD.sort_key <> NEW.sort_key
BEGIN
  DELETE FROM listing WHERE server_id = NEW.id;
  INSERT INTO listing (school_id, server_id, is_private, rank, sort_key, created_at)
  SELECT place.school_id, NEW.id, NEW.privacy_level = 'private', NOT NEW.is_required_for_trust, NEW.sort_key, NEW.created_at
  FROM (SELECT 0 AS school_id UNION ALL SELECT school_id FROM server_school WHERE server_id = NEW.id) AS place
  WHERE NEW.is_active AND NEW.valid_invite_count > 0;
END;

CREATE TRIGGER server_school_added AFTER INSERT ON server_school
BEGIN
  INSERT INTO listing (school_id, server_id, is_private, rank, sort_key, created_at)
  SELECT NEW.school_id, id, privacy_level = 'private', NOT is_required_for_trust, sort_key, created_at
  FROM discord_server WHERE id = NEW.server_id AND is_active AND valid_invite_count > 0;
END;

CREATE TRIGGER server_school_removed AFTER DELETE ON server_school
BEGIN
  DELETE FROM listing WHERE school_id = OLD.school_id AND server_id = OLD.server_id;
END;

CREATE TRIGGER listing_added AFTER INSERT ON listing
BEGIN
  INSERT INTO listing_count (school_id, is_private, servers) VALUES (NEW.school_id, NEW.is_private, 1)
  ON CONFLICT (school_id, is_private) DO UPDATE SET servers = servers + 1;
END;

CREATE TRIGGER listing_removed AFTER DELETE ON listing
BEGIN
  UPDATE listing_count SET servers = servers - 1 WHERE school_id = OLD.school_id AND is_private = OLD.is_private;
END;

-- Words and sort key are made outside of the database; here is only said that they are old.
CREATE TRIGGER server_renamed AFTER UPDATE OF name, custom_title, description ON discord_server
WHEN OLD.name <> NEW.name OR OLD.custom_title <> NEW.custom_title OR OLD.description <> NEW.description
BEGIN
  UPDATE discord_server SET version = version + 1 WHERE id = NEW.id;
END;

CREATE TRIGGER server_found_again AFTER UPDATE OF valid_invite_count ON discord_server
WHEN OLD.valid_invite_count <> NEW.valid_invite_count
BEGIN
  UPDATE discord_server SET version = version + 1 WHERE id = NEW.id;
END;

CREATE TRIGGER invite_noted AFTER UPDATE OF notes_md ON invite WHEN OLD.notes_md <> NEW.notes_md
BEGIN
  UPDATE discord_server SET version = version + 1 WHERE id = NEW.server_id;
END;

CREATE TRIGGER server_subject_added AFTER INSERT ON server_subject
BEGIN
  UPDATE discord_server SET version = version + 1 WHERE id = NEW.server_id;
END;

CREATE TRIGGER server_subject_removed AFTER DELETE ON server_subject
BEGIN
  UPDATE discord_server SET version = version + 1 WHERE id = OLD.server_id;
END;

CREATE TRIGGER server_course_added AFTER INSERT ON server_course
BEGIN
  UPDATE discord_server SET version = version + 1 WHERE id = NEW.server_id;
END;

CREATE TRIGGER server_course_removed AFTER DELETE ON server_course
BEGIN
  UPDATE discord_server SET version = version + 1 WHERE id = OLD.server_id;
END;

CREATE TRIGGER server_instructor_added AFTER INSERT ON server_instructor
BEGIN
  UPDATE discord_server SET version = version + 1 WHERE id = NEW.server_id;
END;

CREATE TRIGGER server_instructor_removed AFTER DELETE ON server_instructor
BEGIN
  UPDATE discord_server SET version = version + 1 WHERE id = OLD.server_id;
END;

CREATE TRIGGER invite_used AFTER INSERT ON invite_use
BEGIN
  UPDATE invite SET uses_count = uses_count + 1 WHERE id = NEW.invite_id;
END;

CREATE TRIGGER course_renamed AFTER UPDATE OF title ON course WHEN OLD.title <> NEW.title
BEGIN
  UPDATE discord_server SET version = version + 1 WHERE id IN (SELECT server_id FROM server_course WHERE course_id = NEW.id);
END;

CREATE TRIGGER subject_renamed AFTER UPDATE OF name ON subject WHEN OLD.name <> NEW.name
BEGIN
  UPDATE discord_server SET version = version + 1 WHERE id IN (SELECT server_id FROM server_subject WHERE subject_id = NEW.id);
END;

-- The CHECK of referral makes a redemption too many fail as a whole.
CREATE TRIGGER referral_redeemed AFTER INSERT ON redemption
BEGIN
  UPDATE referral SET num_uses = num_uses + 1 WHERE id = NEW.referral_id;
END;
