-- How long messages took, kept for the page that shows it: reading thousands of messages for each view would make the page slow.
CREATE TABLE message_times (
  id integer PRIMARY KEY,
  times text NOT NULL,
  messages integer NOT NULL,
  updated_at integer NOT NULL
);
