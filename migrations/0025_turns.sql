-- With fair turns: the wave in which the recipient is notified, 0 for the first. What is held for a later one ends with its opening.
ALTER TABLE class_alert ADD COLUMN wave integer DEFAULT 0 NOT NULL;
