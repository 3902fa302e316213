import type { Letter } from '../email/letter.ts'
import { escapeMarkdown } from './discord-embeds.ts'

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

/** What happened, and what to do about it. */
export const noticeText = ({ what, otherwise }: Notice): string => `${what} ${otherwise}`

export function noticeMarkdown(notice: Notice): string {
  const text = escapeMarkdown(noticeText(notice))
  const { link } = notice
  return link === null ? text : `${text}\n[${escapeMarkdown(link.label)}](<${link.url}>)`
}

export const noticeLetter = ({ product_name, subject, what, otherwise, link }: Notice): Letter => ({
  site: product_name,
  subject,
  preview: '',
  blocks: [
    { kind: 'headline', badge: '', text: subject, lead: '' },
    { kind: 'paragraph', text: what },
    { kind: 'paragraph', text: otherwise },
    ...(link === null ? [] : [{ kind: 'button', ...link, isAddressShown: false } as const]),
  ],
  footer: { text: 'You get this because classes are watched for you.', links: [] },
})
