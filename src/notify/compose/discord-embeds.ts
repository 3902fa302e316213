import * as z from 'zod/mini'
import { cut } from '../clean-text.ts'
import { type CleanAlert, eventOf, joined, seatsText, subjectLine } from './alert-facts.ts'

/** A card in a Discord message (Discord, "Embed Object"). */
export const Embed = z.object({
  title: z.string(),
  url: z.string(),
  color: z.number(),
  fields: z.array(z.object({ name: z.string(), value: z.string(), inline: z.boolean() })),
  footer: z.object({ text: z.string() }),
})
export type Embed = z.infer<typeof Embed>

/** Discord allows ten cards in one message, with at most 6,000 characters in total. */
const MAX_EMBEDS = 10
const MAX_CHARACTERS = 6000
const GREEN = 0x14a152

/** The text above the cards, with outside text escaped, and how to stop the messages. */
export function discordText(alerts: readonly CleanAlert[], unsubscribeUrl: string | null): string {
  const shown = discordEmbeds(alerts, '').length
  const rows = [escapeMarkdown(subjectLine(alerts))]
  if (shown < alerts.length) rows.push(`+${alerts.length - shown} more`)
  // Angle brackets keep Discord from drawing a preview of the page.
  if (unsubscribeUrl !== null) rows.push(`-# [Stop these messages](<${unsubscribeUrl}>)`)
  return rows.join('\n')
}

export function discordEmbeds(alerts: readonly CleanAlert[], link: string): Embed[] {
  const embeds: Embed[] = []
  let characters = 0
  for (const [place, alert] of alerts.slice(0, MAX_EMBEDS).entries()) {
    // Of cards with the same address, Discord shows only the first.
    const embed = embedOf(alert, place === 0 ? link : `${link}#${place + 1}`)
    characters += charactersOf(embed)
    if (characters > MAX_CHARACTERS) break
    embeds.push(embed)
  }
  return embeds
}

function embedOf(alert: CleanAlert, link: string): Embed {
  const facts: [string, string, boolean][] = [
    [alert.label, alert.number === '' ? '' : `\`${alert.number.replaceAll('`', "'")}\``, true],
    ['Seats', seatsText(alert), true],
    ['When', escapeMarkdown(alert.when), false],
    ['Where', escapeMarkdown(alert.where), false],
    ['With', escapeMarkdown(alert.instructors), false],
    ['At', escapeMarkdown(joined([alert.school, alert.term], ', ')), false],
    ['Register', alert.register_url ?? '', false],
  ]
  return {
    title: cut(escapeMarkdown(`${eventOf(alert)}: ${joined([alert.name, alert.title], ' ')}`), 256, '…'),
    url: link,
    color: GREEN,
    fields: facts
      .filter(([, value]) => value !== '')
      .map(([name, value, inline]) => ({ name, value: cut(value, 1024, '…'), inline })),
    footer: { text: alert.checked },
  }
}

function charactersOf({ title, fields, footer }: Embed): number {
  return fields.reduce((sum, { name, value }) => sum + name.length + value.length, title.length + footer.text.length)
}

/** Text that Discord shows unchanged: a backslash before what formats, mentions, links or starts a list. */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/[\\*_~`|<>#@[\]()]/g, '\\$&')
    .replace(/:(?=\/\/)/g, '\\:')
    .replace(/^([-+])/, '\\$1')
    .replace(/^(\d+)\./, '$1\\.')
}
