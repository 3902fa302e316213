import type { ChannelKind } from './channel.ts'
import { cleanAlert, webLink } from './compose/alert-line.ts'
import type { AlertLine } from './compose/alert-line.ts'
import { discordText } from './compose/discord-text.ts'
import { pushBody } from './compose/push-text.ts'
import { emailHtml, emailText, subjectLine } from './compose/email-body.ts'
import { smsText } from './compose/sms-text.ts'

export type { AlertLine }

/** `html` is '' for everything but e-mail. */
interface ComposedAlerts {
  subject: string
  text: string
  html: string
}

/**
 * The one message that tells of all these alerts (at least one), as its channel needs it. The same alerts always give
 * the same words, which the look-up of an unconfirmed message and Resend's idempotency both rest on.
 */
export function composeAlerts(
  alerts: readonly AlertLine[],
  options: { channel: ChannelKind; unsubscribe_url: string | null },
): ComposedAlerts {
  if (alerts.length === 0) throw new RangeError('a message needs at least one alert')
  const clean = alerts.map(cleanAlert)
  const subject = subjectLine(clean)
  const unsubscribeLink = webLink(options.unsubscribe_url)
  if (options.channel === 'phone') return { subject, text: smsText(clean), html: '' }
  if (options.channel === 'push') return { subject, text: pushBody(clean), html: '' }
  if (options.channel === 'discord') return { subject, text: discordText(clean, unsubscribeLink), html: '' }
  return { subject, text: emailText(clean, unsubscribeLink), html: emailHtml(clean, unsubscribeLink) }
}
