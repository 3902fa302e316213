-- Whether the recipient's own page may undo an opt-out, because it was a stop of all messages there or by a message's link.
ALTER TABLE opt_out ADD COLUMN is_undoable INTEGER NOT NULL DEFAULT 0;

-- Until now this was known from the audit, which has the same time.
UPDATE opt_out SET is_undoable = 1 WHERE EXISTS (
  SELECT 1 FROM contact
  JOIN audit ON audit.table_name = 'recipient' AND audit.row_key = CAST(contact.recipient_id AS text)
    AND audit.act = 'stopped all messages' AND audit.at = contact.opted_out_at
  WHERE contact.kind = opt_out.kind AND contact.address_key = opt_out.address_key);
