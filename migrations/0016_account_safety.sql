-- Whether the session's cookie has the name that only this host can set; then it is accepted under no other name.
ALTER TABLE session ADD is_prefixed integer DEFAULT false NOT NULL;
-- Where the link went: whoever uses it has shown whose mailbox that is.
ALTER TABLE password_reset ADD address text;
