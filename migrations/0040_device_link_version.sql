-- The version of the link to the recipient's own page with which a device was added; NULL if it was added with an alert's link.
ALTER TABLE contact ADD COLUMN link_version integer;
