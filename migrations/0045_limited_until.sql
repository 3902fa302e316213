-- Until when the school itself asked for no requests (Retry-After), which a pause after failures does not say.
ALTER TABLE source ADD COLUMN limited_until INTEGER;
