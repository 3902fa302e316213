-- A delivery's age counts from when somebody last asked for it: its making, or a retry.
ALTER TABLE delivery ADD COLUMN asked_at integer;
-- The sweep looks after it again from then on; null while it never did.
ALTER TABLE delivery ADD COLUMN look_at integer;
-- The request to the mail provider that it shares with others, while that one may have been taken.
ALTER TABLE delivery ADD COLUMN batch_key text;

-- What one request to the mail provider holds, word for word: it is repeated exactly until its outcome is known.
CREATE TABLE mail_batch (
  key text PRIMARY KEY NOT NULL,
  poll_id text NOT NULL,
  payload text NOT NULL,
  members text NOT NULL,
  created_at integer NOT NULL
);

CREATE INDEX delivery_batch ON delivery (batch_key) WHERE batch_key IS NOT NULL;
CREATE INDEX delivery_mail_waiting ON delivery (poll_id, due_at)
WHERE channel = 'email' AND state IN ('queued', 'sending') AND body IS NULL;

-- In the place of delivery_unsent: what is due and was not looked after lately, in an order that can be paged through.
CREATE INDEX delivery_look ON delivery (max(due_at, coalesce(look_at, 0)), id) WHERE state IN ('queued', 'sending', 'unconfirmed');
DROP INDEX delivery_unsent;

DROP INDEX delivery_failed;
CREATE INDEX delivery_failed ON delivery (id) WHERE state IN ('failed', 'expired');
