CREATE TABLE two_factor (
  user_id integer PRIMARY KEY NOT NULL,
  sealed_keys text NOT NULL,
  last_step integer NOT NULL,
  activated_at integer NOT NULL,
  FOREIGN KEY (user_id) REFERENCES user(id) ON UPDATE no action ON DELETE cascade
);

CREATE TABLE recovery_code (
  id integer PRIMARY KEY NOT NULL,
  user_id integer NOT NULL,
  code_hash text NOT NULL,
  used_at integer,
  FOREIGN KEY (user_id) REFERENCES two_factor(user_id) ON UPDATE no action ON DELETE cascade
);

CREATE UNIQUE INDEX recovery_code_of_user ON recovery_code (user_id, code_hash);
CREATE TABLE second_step (
  id_hash text PRIMARY KEY NOT NULL,
  user_id integer NOT NULL,
  way text NOT NULL,
  created_at integer NOT NULL,
  expires_at integer NOT NULL,
  FOREIGN KEY (user_id) REFERENCES two_factor(user_id) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX second_step_user ON second_step (user_id);
CREATE INDEX second_step_expires ON second_step (expires_at);

-- Whoever got half-way with a password that is no longer right, or into an account that was disabled, starts again.
CREATE TRIGGER second_step_outdated AFTER UPDATE OF password_hash, is_active ON user
BEGIN
  DELETE FROM second_step WHERE user_id = NEW.id;
END;
