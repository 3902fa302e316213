-- Enabling a server must not let its members sign up, which only featuring it does.
UPDATE discord_server SET is_required_for_trust = false WHERE NOT is_active AND is_required_for_trust;
