-- By what a message was seen first: its device's receipt, or a button of its page.
ALTER TABLE delivery ADD COLUMN seen_by text;
