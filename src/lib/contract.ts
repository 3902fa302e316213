import * as z from 'zod/mini'

/**
 * The ways to reach a person: the kind of a contact, and the channel of a message to one. Stored, and shown in JSON.
 */
export const contactKinds = ['phone', 'email', 'discord', 'push'] as const
/**
 * A push contact is a device: it is added on the recipient's own page, never typed by staff, and `number` is what it is
 * called.
 */
export const ContactKind = z.enum(contactKinds)
export type ContactKind = z.infer<typeof ContactKind>
/** Contacts whose addresses are typed. */
export const TypedKind = z.enum(['phone', 'email', 'discord'])
export type TypedKind = z.infer<typeof TypedKind>
