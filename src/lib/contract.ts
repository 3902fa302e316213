import * as z from 'zod/mini'

/*
 * What the Worker itself parses or stores, besides pages and browsers. The bundle contains every schema of a module from
 * which it needs one, so these are apart from the schemas that only browsers' types and tests use.
 */

/** The kind of a contact, and the channel of a message to one. Stored, and shown in JSON. */
export const contactKinds = ['phone', 'email', 'discord', 'push'] as const
/** A push contact is a device, added on the recipient's own page; `number` is what it is called. */
export const ContactKind = z.enum(contactKinds)
export type ContactKind = z.infer<typeof ContactKind>
/** Contacts whose addresses are typed. */
export const TypedKind = z.enum(['phone', 'email', 'discord'])
export type TypedKind = z.infer<typeof TypedKind>

/**
 * waiting: an SMS that is sent unless a push is seen; held: quiet hours; gone: the seat was gone before it was sent;
 * expired: too old to send; not_needed: the recipient saw another of the same alert's messages.
 */
export const shownDeliveryStates = [
  'waiting',
  'held',
  'queued',
  'unconfirmed',
  'sent',
  'delivered',
  'opened',
  'failed',
  'gone',
  'expired',
  'not_needed',
  'canceled',
] as const
/** sending: an attempt has begun; shown as queued, because the provider has not answered. */
export const deliveryStates = [...shownDeliveryStates, 'sending'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** Of a message that is still under way. */
export const unfinishedStates: readonly DeliveryState[] = ['waiting', 'held', 'queued', 'sending', 'unconfirmed']

/** How a message ends without having been sent; if it has a `body`, it may have arrived all the same. */
export const unsentEnds: readonly DeliveryState[] = ['gone', 'expired', 'canceled', 'failed']

/** How a message was first seen: by its device's receipt, or by a button of its page. */
export const seenByValues = ['shown', 'opened', 'got_it', 'passed', 'copied', 'stopped'] as const
export const SeenBy = z.enum(seenByValues)
export type SeenBy = z.infer<typeof SeenBy>

/** A page of this site that a message mentions. */
export const MessageLink = z.object({ text: z.string(), href: z.string() })
export type MessageLink = z.infer<typeof MessageLink>

/** A flash message. `links` are the pages listed at the end of `message`, each as "text (href)". */
export const Message = z.object({
  level_tag: z.enum(['debug', 'info', 'success', 'warning', 'error']),
  message: z.string(),
  links: z.optional(z.array(MessageLink)),
})
export type Message = z.infer<typeof Message>

/** The state of a background job. */
export type JobState = 'scheduled' | 'queued' | 'started' | 'finished' | 'failed' | 'stopped' | 'canceled'
