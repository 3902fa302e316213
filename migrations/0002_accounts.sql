CREATE TABLE email_address (
  id integer PRIMARY KEY NOT NULL,
  user_id integer NOT NULL,
  address text NOT NULL,
  verified_at integer,
  is_primary integer DEFAULT false NOT NULL,
  created_at integer NOT NULL,
  FOREIGN KEY (user_id) REFERENCES user(id) ON UPDATE no action ON DELETE cascade
);

CREATE UNIQUE INDEX email_address_of_user ON email_address (user_id, lower(address));
CREATE UNIQUE INDEX email_address_verified ON email_address (lower(address)) WHERE verified_at IS NOT NULL;
CREATE UNIQUE INDEX email_address_primary ON email_address (user_id) WHERE is_primary;
CREATE INDEX email_address_address ON email_address (lower(address));
CREATE TABLE email_confirmation (
  key_hash text PRIMARY KEY NOT NULL,
  user_id integer NOT NULL,
  address text NOT NULL,
  created_at integer NOT NULL,
  expires_at integer NOT NULL,
  used_at integer,
  FOREIGN KEY (user_id) REFERENCES user(id) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX email_confirmation_user ON email_confirmation (user_id);
CREATE INDEX email_confirmation_expires ON email_confirmation (expires_at);
CREATE TABLE password_reset (
  key_hash text PRIMARY KEY NOT NULL,
  user_id integer NOT NULL,
  signed_in_at integer,
  created_at integer NOT NULL,
  expires_at integer NOT NULL,
  used_at integer,
  FOREIGN KEY (user_id) REFERENCES user(id) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX password_reset_user ON password_reset (user_id);
CREATE INDEX password_reset_expires ON password_reset (expires_at);
CREATE TABLE sign_in_code (
  id_hash text PRIMARY KEY NOT NULL,
  user_id integer,
  address text NOT NULL,
  code_hash text NOT NULL,
  next text NOT NULL,
  tries integer DEFAULT 0 NOT NULL,
  resends integer DEFAULT 0 NOT NULL,
  created_at integer NOT NULL,
  expires_at integer NOT NULL,
  used_at integer,
  FOREIGN KEY (user_id) REFERENCES user(id) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX sign_in_code_user ON sign_in_code (user_id);
CREATE INDEX sign_in_code_expires ON sign_in_code (expires_at);
CREATE TABLE reauthentication (
  session_id_hash text PRIMARY KEY NOT NULL,
  path text NOT NULL,
  sealed_form text NOT NULL,
  expires_at integer NOT NULL,
  FOREIGN KEY (session_id_hash) REFERENCES session(id_hash) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX reauthentication_expires ON reauthentication (expires_at);
CREATE TABLE mail (
  id integer PRIMARY KEY NOT NULL,
  idempotency_key text NOT NULL,
  kind text NOT NULL,
  user_id integer,
  address text NOT NULL,
  sealed_body text,
  state text DEFAULT 'queued' NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  created_at integer NOT NULL,
  due_at integer NOT NULL,
  expires_at integer NOT NULL,
  sent_at integer,
  provider_id text,
  last_error text,
  FOREIGN KEY (user_id) REFERENCES user(id) ON UPDATE no action ON DELETE set null
);

CREATE UNIQUE INDEX mail_idempotency_key ON mail (idempotency_key);
CREATE INDEX mail_unsent ON mail (due_at) WHERE state IN ('queued', 'sending');
CREATE INDEX mail_created ON mail (created_at);
CREATE INDEX mail_user ON mail (user_id);
ALTER TABLE session ADD last_used_at integer;

-- An address may now be claimed by several and verified by one: email_address says so, and user.email is a copy of the primary.
DROP INDEX user_email;
CREATE INDEX user_email ON user (lower(email));
INSERT INTO email_address (user_id, address, verified_at, is_primary, created_at)
SELECT id, email, email_verified_at, 1, created_at FROM user WHERE email IS NOT NULL;
