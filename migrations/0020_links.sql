-- The code in a message's link, /s/{code}: whoever has it may see the message's alerts, and answer them.
ALTER TABLE delivery ADD COLUMN link_code text;
-- When it was certainly seen by a person: a push receipt, "Got it", "Pass" or "Copy number".
ALTER TABLE delivery ADD COLUMN seen_at integer;
-- When its link or notification was first opened by a browser.
ALTER TABLE delivery ADD COLUMN opened_at integer;

CREATE INDEX delivery_link ON delivery (link_code) WHERE link_code IS NOT NULL;
-- What is not to be sent before its time comes, or something happens.
CREATE INDEX delivery_waiting ON delivery (due_at) WHERE state IN ('waiting', 'held');
