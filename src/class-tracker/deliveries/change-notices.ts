import * as z from 'zod/mini'
import type { ContactKind } from '../../lib/contract.ts'
import type { Notice } from '../../notify/compose.ts'

/** A change made with a link. Links get forwarded, so the recipient's other contacts are notified. */
export const Change = z.enum([
  'stopped',
  'device_added',
  'device_removed',
  'switched_off',
  'paused',
  'quiet_hours',
  'unwatched',
])
export type Change = z.infer<typeof Change>

interface Words {
  subject: string
  what: string
  /** What to do if it was someone else: in a message with a link or on a device, and in one without a link. */
  elsewhere: string
  inText?: string
}

const words: Readonly<Record<Change, Words>> = {
  stopped: {
    subject: 'All messages stopped',
    what: 'Someone used a link in one of your messages to stop all class alerts.',
    inText: 'Not you? Reply START to get texts again.',
    elsewhere: 'If that was not you, turn them on again.',
  },
  device_added: {
    subject: 'A device was added',
    what: 'A device now gets notifications about your classes.',
    inText: 'Not you? Ask the person who set up your alerts to remove it.',
    elsewhere: 'If that was not you, remove it on your page.',
  },
  device_removed: {
    subject: 'A device was removed',
    what: 'A device no longer gets notifications about your classes.',
    elsewhere: 'If that was not you, add it again on your page. Your page has a new link.',
  },
  switched_off: {
    subject: 'A contact was turned off',
    what: 'Someone used your private link to turn off one of the ways we reach you.',
    elsewhere: 'If that was not you, turn it on again on your page.',
  },
  paused: {
    subject: 'Messages are paused',
    what: 'Someone used your private link to pause all class alerts for a week or more.',
    elsewhere: 'If that was not you, resume them on your page.',
  },
  quiet_hours: {
    subject: 'Quiet hours were set',
    what: 'Someone used your private link to set quiet hours for your class alerts.',
    elsewhere: 'If that was not you, change them on your page.',
  },
  unwatched: {
    subject: 'A class is no longer watched',
    what: 'Someone used your private link to stop watching one of your classes.',
    elsewhere: 'If that was not you, ask the person who set up your alerts to watch it again.',
  },
}

const askStaff = 'Not you? Ask the person who set up your alerts to undo it.'

/** The notice for a contact of this kind. @param url where the change can be undone; null if no link is sent */
export function noticeOf(productName: string, kind: ContactKind, change: Change, url: string | null): Notice {
  const { subject, what, elsewhere, inText = askStaff } = words[change]
  const label = change === 'stopped' ? 'Send me messages again' : 'Open your page'
  return {
    product_name: productName,
    subject,
    what,
    otherwise: url === null ? (kind === 'phone' ? inText : askStaff) : elsewhere,
    link: url === null ? null : { label, url },
  }
}
