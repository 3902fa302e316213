-- Forms that wait until their senders have shown who they are: several a session, because people have several tabs.
CREATE TABLE waiting_form (
  session_id_hash text NOT NULL,
  path text NOT NULL,
  sealed_form text NOT NULL,
  expires_at integer NOT NULL,
  PRIMARY KEY(session_id_hash, path),
  FOREIGN KEY (session_id_hash) REFERENCES session(id_hash) ON UPDATE no action ON DELETE cascade
);

CREATE INDEX waiting_form_expires ON waiting_form (expires_at);
