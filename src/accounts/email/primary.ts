/** Brings `user.email` and `user.email_verified_at` to what email_address says; a WHERE is to be added. */
export const copyPrimary = `UPDATE user SET
  email = (SELECT address FROM email_address WHERE user_id = user.id AND is_primary),
  email_verified_at = (SELECT verified_at FROM email_address WHERE user_id = user.id AND is_primary)`
