-- Sources on one host share its request budget.
CREATE INDEX source_host ON source (CASE WHEN substr(url, 5, 1) = ':' THEN url
    ELSE rtrim(rtrim(lower(substr(url, 1, instr(substr(url, 9) || '/', '/') + 7)), '0123456789'), ':') END);
