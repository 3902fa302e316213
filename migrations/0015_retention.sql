CREATE TABLE monthly_total (
  month text NOT NULL,
  what text NOT NULL,
  channel text NOT NULL,
  state text NOT NULL,
  count integer NOT NULL,
  PRIMARY KEY(month, what, channel, state)
);

-- Watched sections that the school's answers leave out or contradict themselves about: few, so that a page can count them.
CREATE INDEX section_unobserved ON section (group_id)
WHERE watch_count > 0 AND coalesce(missing_since, unknown_since) IS NOT NULL;
