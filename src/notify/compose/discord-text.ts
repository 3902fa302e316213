import { cut } from '../clean-text.ts'
import type { CleanAlert } from './alert-line.ts'

/** What Discord takes in one message (Discord, "Execute Webhook"). */
const MAX_TEXT = 2000

/** Escaped, a text can be twice as long; one alert of this length always fits with its link and the rest. */
const MAX_SENTENCE = 400

/** The alerts, one or two rows each, as Discord markdown in which nothing from outside has a meaning. */
export function discordText(alerts: CleanAlert[], unsubscribeUrl: string | null): string {
  const items = alerts.map((alert) => {
    const sentence = escapeMarkdown(cut(alert.sentence, MAX_SENTENCE, '…'))
    // Angle brackets keep Discord from drawing a preview of the school's page.
    const line = alert.link === null ? sentence : `${sentence}, <${alert.link}>`
    return alert.place === '' ? line : `${line}\n${escapeMarkdown(alert.place)}`
  })
  for (let kept = items.length; kept > 1; kept -= 1) {
    const text = whole(items.slice(0, kept), items.length - kept, unsubscribeUrl)
    if (text.length <= MAX_TEXT) return text
  }
  return whole(items.slice(0, 1), items.length - 1, unsubscribeUrl)
}

/**
 * Text that Discord shows as it stands: a backslash before every mark that formats, mentions or links, before the '//'
 * of an address, and before what makes a list at the start of a line.
 */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/[\\*_~`|<>#@[\]()]/g, '\\$&')
    .replace(/:(?=\/\/)/g, '\\:')
    .replace(/^([-+])/, '\\$1')
    .replace(/^(\d+)\./, '$1\\.')
}

function whole(items: string[], more: number, unsubscribeUrl: string | null): string {
  const rows = [...items]
  if (more > 0) rows.push(`+${more} more`)
  if (unsubscribeUrl !== null) rows.push(`Stop these messages: <${unsubscribeUrl}>`)
  return rows.join('\n')
}
