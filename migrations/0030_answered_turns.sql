-- With fair turns: when the recipient said that they got a seat or pass. It brings the next wave, once.
ALTER TABLE class_alert ADD COLUMN answered_at integer;
