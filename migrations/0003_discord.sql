CREATE TABLE discord_user (
  id integer PRIMARY KEY NOT NULL,
  user_id integer NOT NULL,
  discord_id text NOT NULL,
  username text NOT NULL,
  discriminator text NOT NULL,
  display_name text NOT NULL,
  avatar text,
  is_verified integer NOT NULL,
  role text DEFAULT 'regular' NOT NULL CHECK (role IN ('regular', 'manager')),
  school_id integer,
  is_disabled integer DEFAULT false NOT NULL,
  login_count integer NOT NULL,
  first_login_at integer NOT NULL,
  last_login_at integer NOT NULL,
  sealed_tokens text,
  tokens_expire_at integer,
  FOREIGN KEY (user_id) REFERENCES user(id) ON UPDATE no action ON DELETE cascade,
  FOREIGN KEY (school_id) REFERENCES school(id) ON UPDATE no action ON DELETE set null
);

CREATE UNIQUE INDEX discord_user_user_id_unique ON discord_user (user_id);
CREATE UNIQUE INDEX discord_user_discord_id_unique ON discord_user (discord_id);
CREATE INDEX discord_user_school ON discord_user (school_id);
CREATE TABLE oauth_state (
  state_hash text PRIMARY KEY NOT NULL,
  browser_hash text NOT NULL,
  process text NOT NULL,
  next text NOT NULL,
  referral text NOT NULL,
  user_id integer,
  created_at integer NOT NULL,
  expires_at integer NOT NULL,
  FOREIGN KEY (user_id) REFERENCES user(id) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX oauth_state_browser ON oauth_state (browser_hash, created_at);
CREATE INDEX oauth_state_expires ON oauth_state (expires_at);
CREATE INDEX oauth_state_user ON oauth_state (user_id);
CREATE TABLE discord_sign_up (
  id_hash text PRIMARY KEY NOT NULL,
  sealed_arrival text NOT NULL,
  next text NOT NULL,
  created_at integer NOT NULL,
  expires_at integer NOT NULL
);

CREATE INDEX discord_sign_up_expires ON discord_sign_up (expires_at);
