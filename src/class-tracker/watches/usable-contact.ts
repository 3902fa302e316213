/**
 * A contact `n` of a recipient `r` through which a message may go out: enabled, not opted out, and no phone when the
 * recipient may not be contacted by phone.
 */
export const isUsableContact = `n.is_enabled AND n.opted_out_at IS NULL AND (n.kind <> 'phone' OR r.is_contact_by_phone)`
