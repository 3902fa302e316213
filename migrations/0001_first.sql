CREATE TABLE session (
  id_hash text PRIMARY KEY NOT NULL,
  user_id integer NOT NULL,
  created_at integer NOT NULL,
  expires_at integer NOT NULL,
  authenticated_at integer NOT NULL,
  is_persistent integer NOT NULL,
  ip_address text,
  user_agent text,
  country text,
  FOREIGN KEY (user_id) REFERENCES user(id) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX session_user ON session (user_id);
CREATE INDEX session_expires ON session (expires_at);
CREATE TABLE user (
  id integer PRIMARY KEY NOT NULL,
  username text NOT NULL,
  email text,
  email_verified_at integer,
  password_hash text,
  is_superuser integer DEFAULT false NOT NULL,
  is_active integer DEFAULT true NOT NULL,
  created_at integer NOT NULL,
  last_sign_in_at integer
);

CREATE UNIQUE INDEX user_username ON user (lower(username));
CREATE UNIQUE INDEX user_email ON user (lower(email));
CREATE TABLE course (
  id integer PRIMARY KEY NOT NULL,
  subject_id integer NOT NULL,
  code text NOT NULL,
  level text NOT NULL,
  title text NOT NULL,
  FOREIGN KEY (subject_id) REFERENCES subject(id) ON UPDATE no action ON DELETE cascade
);

CREATE UNIQUE INDEX course_code ON course (subject_id,code,level);
CREATE TABLE school (
  id integer PRIMARY KEY NOT NULL,
  source_id integer NOT NULL,
  code text NOT NULL,
  name text NOT NULL,
  FOREIGN KEY (source_id) REFERENCES source(id) ON UPDATE no action ON DELETE cascade
);

CREATE UNIQUE INDEX school_code ON school (source_id,code);
CREATE TABLE school_term (
  id integer PRIMARY KEY NOT NULL,
  school_id integer NOT NULL,
  term_id integer NOT NULL,
  code text NOT NULL,
  name text NOT NULL,
  is_available integer NOT NULL,
  ends_at integer NOT NULL,
  subjects_refreshed_at integer,
  sections_refreshed_at integer,
  section_count integer,
  FOREIGN KEY (school_id) REFERENCES school(id) ON UPDATE no action ON DELETE cascade,
  FOREIGN KEY (term_id) REFERENCES term(id) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX school_term_code ON school_term (school_id,code);
CREATE INDEX school_term_term ON school_term (term_id);
CREATE TABLE seat_change (
  id integer PRIMARY KEY NOT NULL,
  section_id integer NOT NULL,
  at integer NOT NULL,
  status text NOT NULL,
  seats_available integer,
  capacity integer,
  waitlist_available integer,
  FOREIGN KEY (section_id) REFERENCES section(id) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX seat_change_section ON seat_change (section_id,at);
CREATE TABLE section (
  id integer PRIMARY KEY NOT NULL,
  school_term_id integer NOT NULL,
  group_id integer NOT NULL,
  course_id integer NOT NULL,
  section_key text NOT NULL,
  course_level text DEFAULT '' NOT NULL,
  section text NOT NULL,
  topic text NOT NULL,
  status text NOT NULL,
  seats_available integer,
  capacity integer,
  waitlist_available integer,
  instruction_list text NOT NULL,
  instruction_mode text NOT NULL,
  fingerprint text NOT NULL,
  version integer DEFAULT 1 NOT NULL,
  poll_id text,
  watch_count integer DEFAULT 0 NOT NULL,
  new_watch_count integer DEFAULT 0 NOT NULL,
  missing_since integer,
  created_at integer NOT NULL,
  FOREIGN KEY (school_term_id) REFERENCES school_term(id) ON UPDATE no action ON DELETE cascade,
  FOREIGN KEY (group_id) REFERENCES section_group(id) ON UPDATE no action ON DELETE cascade,
  FOREIGN KEY (course_id) REFERENCES course(id) ON UPDATE no action ON DELETE cascade
);

CREATE UNIQUE INDEX section_key ON section (school_term_id,section_key);
CREATE INDEX section_course ON section (course_id);
CREATE INDEX section_in_group ON section (group_id);
CREATE INDEX section_watched ON section (group_id,section_key,status,seats_available,capacity,waitlist_available,version,new_watch_count,course_level) WHERE watch_count > 0;
CREATE TABLE section_group (
  id integer PRIMARY KEY NOT NULL,
  source_id integer NOT NULL,
  school_term_id integer NOT NULL,
  subject_id integer NOT NULL,
  career text DEFAULT '' NOT NULL,
  watch_count integer DEFAULT 0 NOT NULL,
  read_at integer,
  asked_at integer,
  failures integer DEFAULT 0 NOT NULL,
  last_error text,
  section_count integer,
  FOREIGN KEY (source_id) REFERENCES source(id) ON UPDATE no action ON DELETE cascade,
  FOREIGN KEY (school_term_id) REFERENCES school_term(id) ON UPDATE no action ON DELETE cascade,
  FOREIGN KEY (subject_id) REFERENCES subject(id) ON UPDATE no action ON DELETE cascade
);

CREATE UNIQUE INDEX section_group_scope ON section_group (school_term_id,subject_id,career);
CREATE INDEX section_group_subject ON section_group (subject_id);
CREATE INDEX section_group_watched ON section_group (source_id) WHERE watch_count > 0;
CREATE TABLE source (
  id integer PRIMARY KEY NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  url text NOT NULL,
  time_zone text NOT NULL,
  poll_seconds integer DEFAULT 60 NOT NULL,
  requests_per_minute integer DEFAULT 60 NOT NULL,
  settings text DEFAULT '{}' NOT NULL,
  is_enabled integer DEFAULT true NOT NULL,
  failures integer DEFAULT 0 NOT NULL,
  paused_until integer,
  last_good_at integer,
  last_failed_at integer,
  last_error text,
  requests_a_round integer,
  terms_refreshed_at integer,
  terms_refreshed_by text,
  sections_refreshed_at integer,
  sections_refreshed_by text,
  created_at integer NOT NULL
);

CREATE UNIQUE INDEX source_name_unique ON source (name);
CREATE TABLE subject (
  id integer PRIMARY KEY NOT NULL,
  school_id integer NOT NULL,
  key text NOT NULL,
  name text NOT NULL,
  FOREIGN KEY (school_id) REFERENCES school(id) ON UPDATE no action ON DELETE cascade
);

CREATE UNIQUE INDEX subject_key ON subject (school_id,key);
CREATE TABLE term (
  id integer PRIMARY KEY NOT NULL,
  year integer NOT NULL,
  season text NOT NULL,
  full_term_name text NOT NULL
);

CREATE UNIQUE INDEX term_year_season ON term (year,season);
CREATE TABLE class_alert (
  id integer PRIMARY KEY NOT NULL,
  opening_id integer NOT NULL,
  recipient_id integer NOT NULL,
  section_id integer NOT NULL,
  kind text NOT NULL,
  reminder integer DEFAULT 0 NOT NULL,
  created_at integer NOT NULL,
  release_at integer,
  canceled_at integer,
  poll_id text,
  FOREIGN KEY (opening_id) REFERENCES opening(id) ON UPDATE no action ON DELETE cascade,
  FOREIGN KEY (recipient_id) REFERENCES recipient(id) ON UPDATE no action ON DELETE cascade,
  FOREIGN KEY (section_id) REFERENCES section(id) ON UPDATE no action ON DELETE cascade
);

CREATE UNIQUE INDEX class_alert_once ON class_alert (opening_id,recipient_id,reminder);
CREATE INDEX class_alert_recipient ON class_alert (recipient_id,id);
CREATE INDEX class_alert_section ON class_alert (section_id,recipient_id);
CREATE INDEX class_alert_poll ON class_alert (poll_id);
CREATE INDEX class_alert_held ON class_alert (release_at) WHERE poll_id IS NULL AND canceled_at IS NULL;
CREATE TABLE contact (
  id integer PRIMARY KEY NOT NULL,
  recipient_id integer NOT NULL,
  kind text NOT NULL,
  address text NOT NULL,
  address_key text NOT NULL,
  is_enabled integer DEFAULT true NOT NULL,
  verified_at integer,
  opted_out_at integer,
  created_at integer NOT NULL,
  FOREIGN KEY (recipient_id) REFERENCES recipient(id) ON UPDATE no action ON DELETE cascade
);

CREATE UNIQUE INDEX contact_address ON contact (kind,address_key);
CREATE INDEX contact_recipient ON contact (recipient_id);
CREATE TABLE delivery (
  id integer PRIMARY KEY NOT NULL,
  poll_id text NOT NULL,
  recipient_id integer NOT NULL,
  contact_id integer,
  channel text NOT NULL,
  address text NOT NULL,
  state text NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  due_at integer NOT NULL,
  created_at integer NOT NULL,
  tried_at integer,
  first_tried_at integer,
  body text,
  accepted_at integer,
  delivered_at integer,
  provider_id text,
  last_error text,
  is_repeated integer DEFAULT false NOT NULL,
  FOREIGN KEY (recipient_id) REFERENCES recipient(id) ON UPDATE no action ON DELETE cascade,
  FOREIGN KEY (contact_id) REFERENCES contact(id) ON UPDATE no action ON DELETE set null
);

CREATE UNIQUE INDEX delivery_once ON delivery (poll_id,contact_id);
CREATE INDEX delivery_unsent ON delivery (due_at) WHERE state IN ('queued', 'sending', 'unconfirmed');
CREATE INDEX delivery_provider ON delivery (provider_id);
CREATE INDEX delivery_recipient ON delivery (recipient_id);
CREATE INDEX delivery_contact ON delivery (contact_id);
CREATE TABLE delivery_alert (
  delivery_id integer NOT NULL,
  alert_id integer NOT NULL,
  PRIMARY KEY(delivery_id, alert_id),
  FOREIGN KEY (delivery_id) REFERENCES delivery(id) ON UPDATE no action ON DELETE cascade,
  FOREIGN KEY (alert_id) REFERENCES class_alert(id) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX delivery_alert_alert ON delivery_alert (alert_id);
CREATE TABLE opening (
  id integer PRIMARY KEY NOT NULL,
  section_id integer NOT NULL,
  version integer NOT NULL,
  poll_id text NOT NULL,
  last_closed_at integer,
  seen_open_at integer NOT NULL,
  FOREIGN KEY (section_id) REFERENCES section(id) ON UPDATE no action ON DELETE cascade
);

CREATE UNIQUE INDEX opening_version ON opening (section_id,version);
CREATE INDEX opening_poll ON opening (poll_id);
CREATE TABLE recipient (
  id integer PRIMARY KEY NOT NULL,
  name text NOT NULL,
  description text DEFAULT '' NOT NULL,
  is_contact_by_phone integer DEFAULT true NOT NULL,
  created_at integer NOT NULL
);

CREATE TABLE setting (
  name text PRIMARY KEY NOT NULL,
  value text NOT NULL,
  changed_at integer NOT NULL
);

CREATE TABLE watch (
  id integer PRIMARY KEY NOT NULL,
  recipient_id integer NOT NULL,
  section_id integer NOT NULL,
  created_at integer NOT NULL,
  archived_at integer,
  is_new integer DEFAULT true NOT NULL,
  last_alert_at integer,
  remind_at integer,
  reminders integer DEFAULT 0 NOT NULL,
  FOREIGN KEY (recipient_id) REFERENCES recipient(id) ON UPDATE no action ON DELETE cascade,
  FOREIGN KEY (section_id) REFERENCES section(id) ON UPDATE no action ON DELETE cascade
);

CREATE UNIQUE INDEX watch_recipient_section ON watch (recipient_id,section_id);
CREATE INDEX watch_section ON watch (section_id) WHERE archived_at IS NULL;
CREATE INDEX watch_remind ON watch (remind_at) WHERE remind_at IS NOT NULL;
-- How many living watches a section and its group have, and how many of them still wait for their first look.
-- Kept here so that no writer can forget, and a quiet poll reads one row a watched section.
CREATE TRIGGER watch_added AFTER INSERT ON watch WHEN NEW.archived_at IS NULL
BEGIN
  UPDATE section SET watch_count = watch_count + 1, new_watch_count = new_watch_count + NEW.is_new WHERE id = NEW.section_id;
  UPDATE section_group SET watch_count = watch_count + 1 WHERE id = (SELECT group_id FROM section WHERE id = NEW.section_id);
END;

CREATE TRIGGER watch_removed AFTER DELETE ON watch WHEN OLD.archived_at IS NULL
BEGIN
  UPDATE section SET watch_count = watch_count - 1, new_watch_count = new_watch_count - OLD.is_new WHERE id = OLD.section_id;
  UPDATE section_group SET watch_count = watch_count - 1 WHERE id = (SELECT group_id FROM section WHERE id = OLD.section_id);
END;

CREATE TRIGGER watch_archived AFTER UPDATE OF archived_at ON watch
WHEN (OLD.archived_at IS NULL) <> (NEW.archived_at IS NULL)
BEGIN
  UPDATE section
  SET watch_count = watch_count + (NEW.archived_at IS NULL) - (OLD.archived_at IS NULL),
      new_watch_count = new_watch_count + NEW.is_new * (NEW.archived_at IS NULL) - OLD.is_new * (OLD.archived_at IS NULL)
  WHERE id = NEW.section_id;
  UPDATE section_group
  SET watch_count = watch_count + (NEW.archived_at IS NULL) - (OLD.archived_at IS NULL)
  WHERE id = (SELECT group_id FROM section WHERE id = NEW.section_id);
END;

CREATE TRIGGER watch_looked AFTER UPDATE OF is_new ON watch
WHEN OLD.is_new <> NEW.is_new AND NEW.archived_at IS NULL AND OLD.archived_at IS NULL
BEGIN
  UPDATE section SET new_watch_count = new_watch_count + NEW.is_new - OLD.is_new WHERE id = NEW.section_id;
END;

CREATE TRIGGER section_moved AFTER UPDATE OF group_id ON section
WHEN OLD.group_id <> NEW.group_id AND NEW.watch_count > 0
BEGIN
  UPDATE section_group SET watch_count = watch_count - NEW.watch_count WHERE id = OLD.group_id;
  UPDATE section_group SET watch_count = watch_count + NEW.watch_count WHERE id = NEW.group_id;
END;
