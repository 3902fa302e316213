import type { ChannelKind } from './channel.ts'
import { type AlertFacts, cleanAlert, subjectLine, webLink } from './compose/alert-facts.ts'
import { alertLetter } from './compose/alert-letter.ts'
import { discordEmbeds, discordText, type Embed } from './compose/discord-embeds.ts'
import { pushText } from './compose/push-text.ts'
import { smsText } from './compose/sms-text.ts'
import { letterHtml } from './email/letter-html.tsx'
import { letterText } from './email/letter.ts'

export type { AlertFacts }

/** `html` is '' for all but email; `embeds` are for Discord only. A push message shows `subject` as its title. */
interface ComposedAlerts {
  subject: string
  text: string
  html: string
  embeds: Embed[]
}

/** What a message says besides its alerts. */
interface Around {
  channel: ChannelKind
  product_name: string
  /** The message's own page, `/s/{code}`. */
  link: string
  /** The recipient's own page. */
  recipient_url: string | null
  unsubscribe_url: string | null
  /** Whether this is the first message to the number. */
  is_first: boolean
}

/** One message about all these alerts (at least one), in the form its channel needs. */
export function composeAlerts(alerts: readonly AlertFacts[], around: Around): ComposedAlerts {
  if (alerts.length === 0) throw new RangeError('a message needs at least one alert')
  const clean = alerts.map(cleanAlert)
  const subject = subjectLine(clean)
  const unsubscribeUrl = webLink(around.unsubscribe_url)
  const message = { subject, html: '', embeds: [] }
  switch (around.channel) {
    case 'phone':
      return { ...message, text: smsText(clean, around) }
    case 'push': {
      const { title, body } = pushText(clean)
      return { ...message, subject: title, text: body }
    }
    case 'discord':
      return { ...message, text: discordText(clean, unsubscribeUrl), embeds: discordEmbeds(clean, around.link) }
    case 'email': {
      const letter = alertLetter(clean, { ...around, unsubscribe_url: unsubscribeUrl })
      return { ...message, text: letterText(letter), html: letterHtml(letter) }
    }
  }
}
