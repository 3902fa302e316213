import * as z from 'zod/mini'
import { ContactKind } from '../../lib/contract.ts'
import { Id, Moment } from '../../web/contract.ts'
import { WatchedSection } from '../watches/contract.ts'

/** A contact as its own recipient sees it: a device by its name, everything else masked. */
export const OwnContact = z.object({
  id: Id,
  kind: ContactKind,
  address: z.string(),
  is_enabled: z.boolean(),
  opted_out: z.boolean(),
  /** It opted out, and the page can turn its messages on again. */
  can_start: z.boolean(),
  /** Nothing arrives there anymore. */
  undeliverable: z.boolean(),
})
export type OwnContact = z.infer<typeof OwnContact>

/** Quiet hours as clocks show them: "22:00". */
const QuietHours = z.object({ from: z.string(), until: z.string(), time_zone: z.string() })

export const OwnPageProps = z.object({
  name: z.string(),
  sections: z.array(z.omit(WatchedSection, { history: true })),
  /** Watched classes that are not in `sections`, which has a limit. */
  more_sections_count: z.number(),
  contacts: z.array(OwnContact),
  /** Whether a message can arrive at any of the contacts, now or after a pause. */
  can_be_reached: z.boolean(),
  quiet_hours: z.nullable(QuietHours),
  /** In quiet hours, notifications come without sound; otherwise they are held like everything else. */
  is_push_silent: z.boolean(),
  is_reminded: z.boolean(),
  /** Texts are sent together with push, not only when no push was seen. */
  is_sms_at_once: z.boolean(),
  paused_until: z.nullable(Moment),
  /** Whether people are notified in turns when more wait than seats open. */
  is_fair: z.boolean(),
  /** The key browsers subscribe with; null if push is not set up. */
  push_key: z.nullable(z.string()),
})
export type OwnPageProps = z.infer<typeof OwnPageProps>
