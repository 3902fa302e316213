-- Every school's page names other schools, so all pages change when a school gets its first public server or loses its last one.
CREATE TRIGGER school_first_listed AFTER INSERT ON listing_count WHEN NOT NEW.is_private AND NEW.servers > 0 AND NEW.school_id > 0
BEGIN
  UPDATE site_version SET version = hex(randomblob(8));
END;

CREATE TRIGGER school_listed_anew AFTER UPDATE OF servers ON listing_count
WHEN NOT NEW.is_private AND NEW.school_id > 0 AND (OLD.servers > 0) <> (NEW.servers > 0)
BEGIN
  UPDATE site_version SET version = hex(randomblob(8));
END;
