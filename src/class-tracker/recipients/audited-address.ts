/** A contact's address (of `n`) as the audit keeps it: a webhook's address is its password, so it is not kept. */
export const auditedAddressSql = `CASE n.kind WHEN 'discord' THEN 'webhook' ELSE n.address END`
