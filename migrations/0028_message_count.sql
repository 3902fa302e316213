-- What was sent in a month, by channel: counted when a provider takes a message, so that it costs nothing to read and outlives the
-- messages themselves. A text of more than 160 characters is several segments; one that was sent twice costs twice.
CREATE TABLE message_count (
  month text NOT NULL,
  channel text NOT NULL,
  messages integer DEFAULT 0 NOT NULL,
  segments integer DEFAULT 0 NOT NULL,
  PRIMARY KEY (month, channel)
);

CREATE TRIGGER message_accepted AFTER UPDATE OF accepted_at ON delivery WHEN OLD.accepted_at IS NULL AND NEW.accepted_at IS NOT NULL
BEGIN
  INSERT INTO message_count (month, channel, messages, segments)
  VALUES (strftime('%Y-%m', NEW.accepted_at / 1000, 'unixepoch'), NEW.channel, 1 + NEW.is_repeated, (1 + NEW.is_repeated) * iif(
    NEW.channel = 'phone' AND json_valid(NEW.body) AND length(NEW.body ->> '$.text') > 160,
    (length(NEW.body ->> '$.text') + 152) / 153, 1))
  ON CONFLICT (month, channel) DO UPDATE
  SET messages = message_count.messages + excluded.messages, segments = message_count.segments + excluded.segments;
END;
