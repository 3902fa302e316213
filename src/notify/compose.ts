import type { ContactKind } from '../lib/contract.ts'
import { type AlertFacts, type CleanAlert, cleanAlert, subjectLine, webLink } from './compose/alert-facts.ts'
import { alertLetter } from './compose/alert-letter.ts'
import { discordEmbeds, discordText, type Embed } from './compose/discord-embeds.ts'
import { type Notice, noticeLetter, noticeMarkdown, noticeText } from './compose/notice.ts'
import { pushText } from './compose/push-text.ts'
import { smsText } from './compose/sms-text.ts'
import { letterHtml } from './email/letter-html.tsx'
import { type Letter, letterText } from './email/letter.ts'
import { gsmText } from './sms/transliterate.ts'

export type { AlertFacts }

/** `html` is '' for all but email; `embeds` are for Discord only. A push message shows `subject` as its title. */
interface Composed {
  subject: string
  text: string
  html: string
  embeds: Embed[]
}

/** The parts of a message besides its alerts. */
interface MessageContext {
  channel: ContactKind
  product_name: string
  /** The message's own page, `/s/{code}`. */
  link: string
  /** The recipient's own page. */
  recipient_url: string | null
  unsubscribe_url: string | null
  /** Whether this is the first message to the number. */
  is_first: boolean
}

/** How a channel's messages are written. Parts that are left out are empty; the default subject is the common one. */
interface Writer {
  alerts(alerts: readonly CleanAlert[], context: MessageContext): Partial<Composed>
  notice(notice: Notice): Partial<Composed>
}

const asMail = (letter: Letter): Partial<Composed> => ({ text: letterText(letter), html: letterHtml(letter) })

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
    alerts: (alerts, context) => asMail(alertLetter(alerts, context)),
    notice: (notice) => asMail(noticeLetter(notice)),
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

/** A notice in the form its channel needs. */
export function composeNotice(notice: Notice, channel: ContactKind): Omit<Composed, 'embeds'> {
  const { subject, text = '', html = '' } = { subject: notice.subject, ...writers[channel].notice(notice) }
  return { subject, text, html }
}
