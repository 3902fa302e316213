-- Groups in which a seat has just opened are asked first where a source's budget is scarce.
ALTER TABLE section_group ADD opened_at integer;
