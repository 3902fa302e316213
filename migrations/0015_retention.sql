CREATE TABLE monthly_total (
  month text NOT NULL,
  what text NOT NULL,
  channel text NOT NULL,
  state text NOT NULL,
  count integer NOT NULL,
  PRIMARY KEY(month, what, channel, state)
);

-- Watched sections whose status the school's answers leave open: few, so that a page can count them.
CREATE INDEX section_missing ON section (group_id) WHERE watch_count > 0 AND missing_since IS NOT NULL;
