import type { ContactKind } from '../lib/contract.ts'
import {
  type AlertFacts,
  type CleanAlert,
  cleanAlert,
  eventOf,
  eventOfSeveral,
  joined,
  subjectLine,
  webLink,
} from './compose/alert-facts.ts'
import { alertEmail, type AlertEmailContext } from './compose/alert-email.ts'
import { discordEmbeds, discordText, type Embed, escapeMarkdown } from './compose/discord-embeds.ts'
import { smsText } from './compose/sms-text.ts'
import { emailHtml } from './email/email-html.tsx'
import { type EmailContent, emailText } from './email/email-content.ts'
import { gsmText } from './sms/transliterate.ts'

/** `html` is '' for all but email; `embeds` are for Discord only. A push message shows `subject` as its title. */
interface Composed {
  subject: string
  text: string
  html: string
  embeds: Embed[]
}

interface MessageContext extends AlertEmailContext {
  channel: ContactKind
  /** Whether this is the first message to the number. */
  is_first: boolean
}

/** How a channel's messages are written. Parts that are left out are empty; the default subject is the common one. */
interface Writer {
  alerts(alerts: readonly CleanAlert[], context: MessageContext): Partial<Composed>
  notice(notice: Notice): Partial<Composed>
}

const asMail = (email: EmailContent): Partial<Composed> => ({ text: emailText(email), html: emailHtml(email) })

const writers: Readonly<Record<ContactKind, Writer>> = {
  phone: {
    alerts: (alerts, context) => ({ text: smsText(alerts, context) }),
    notice: (notice) => ({ text: gsmText(`${notice.product_name}: ${noticeText(notice)}`) }),
  },
  push: {
    alerts(alerts) {
      const { title, body } = pushText(alerts)
      return { subject: title, text: body }
    },
    notice: (notice) => ({ text: noticeText(notice) }),
  },
  discord: {
    alerts: (alerts, { link, unsubscribe_url }) => ({
      text: discordText(alerts, unsubscribe_url),
      embeds: discordEmbeds(alerts, link),
    }),
    notice: (notice) => ({ text: noticeMarkdown(notice) }),
  },
  email: {
    alerts: (alerts, context) => asMail(alertEmail(alerts, context)),
    notice: (notice) => asMail(noticeEmail(notice)),
  },
}

/** One message about all these alerts (at least one), in the form its channel needs. */
export function composeAlerts(alerts: readonly AlertFacts[], context: MessageContext): Composed {
  if (alerts.length === 0) throw new RangeError('a message needs at least one alert')
  const clean = alerts.map(cleanAlert)
  const message = { subject: subjectLine(clean), text: '', html: '', embeds: [] }
  const unsubscribe_url = webLink(context.unsubscribe_url)
  return { ...message, ...writers[context.channel].alerts(clean, { ...context, unsubscribe_url }) }
}

export function composeNotice(notice: Notice, channel: ContactKind): Omit<Composed, 'embeds'> {
  const { subject, text = '', html = '' } = { subject: notice.subject, ...writers[channel].notice(notice) }
  return { subject, text, html }
}

/** 'Seat open: CODE LEVEL-section', and below it 'title · CRN 21847 · 3 left', one line per section. */
function pushText(alerts: readonly CleanAlert[]): { title: string; body: string } {
  const [only, ...others] = alerts
  if (only !== undefined && others.length === 0) {
    return { title: joined([eventOf(only), only.name], ': '), body: factsOf(only, only.title) }
  }
  return { title: eventOfSeveral(alerts), body: alerts.map((alert) => factsOf(alert, alert.name)).join('\n') }
}

function factsOf({ label, number, seats_available }: CleanAlert, name: string): string {
  const left = seats_available === null ? '' : `${seats_available} left`
  return joined([name, number && `${label} ${number}`, left], ' · ')
}

/** A change to a recipient's messages that all their contacts should know about. Texts are ours except for names. */
export interface Notice {
  product_name: string
  subject: string
  /** What happened, in a sentence. */
  what: string
  /** What to do if it was someone else, in a sentence. */
  otherwise: string
  /** A link for doing that; null if the sentence is enough. */
  link: { label: string; url: string } | null
}

const noticeText = ({ what, otherwise }: Notice): string => `${what} ${otherwise}`

function noticeMarkdown(notice: Notice): string {
  const text = escapeMarkdown(noticeText(notice))
  const { link } = notice
  return link === null ? text : `${text}\n[${escapeMarkdown(link.label)}](<${link.url}>)`
}

const noticeEmail = ({ product_name, subject, what, otherwise, link }: Notice): EmailContent => ({
  site: product_name,
  subject,
  preview: '',
  blocks: [
    { kind: 'headline', badge: '', text: subject, lead: '' },
    { kind: 'paragraph', text: what },
    { kind: 'paragraph', text: otherwise },
    ...(link === null ? [] : [{ kind: 'button', ...link, isAddressShown: false } as const]),
  ],
  footer: { text: 'You’re getting this email because we watch classes for you.', links: [] },
})
