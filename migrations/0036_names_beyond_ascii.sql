-- Names that a search by their plain letters has to look at one by one.
CREATE INDEX recipient_name_beyond_ascii ON recipient (id) WHERE octet_length(name) > length(name);
CREATE INDEX discord_server_name_beyond_ascii ON discord_server (id)
  WHERE octet_length(name || custom_title) > length(name || custom_title);
