-- Whether the session's cookie has the name that only this host can set; then it is accepted under no other name.
ALTER TABLE session ADD is_prefixed integer DEFAULT false NOT NULL;
