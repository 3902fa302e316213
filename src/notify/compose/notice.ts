import type { ChannelKind } from '../channel.ts'
import { letterHtml } from '../email/letter-html.tsx'
import { type Letter, letterText } from '../email/letter.ts'
import { gsmText } from '../sms/transliterate.ts'
import { escapeMarkdown } from './discord-embeds.ts'

/** A change to a recipient's messages that all their contacts should know about. Texts are ours except for names. */
export interface Notice {
  product_name: string
  subject: string
  /** What happened, in a sentence. */
  what: string
  /** What to do if it was someone else, in a sentence. */
  otherwise: string
  /** A link to do that; null if the sentence suffices. */
  way: { label: string; url: string } | null
}

/** The notice as its channel needs it. */
export function composeNotice(notice: Notice, channel: ChannelKind): { subject: string; text: string; html: string } {
  const { product_name, subject, what, otherwise, way } = notice
  switch (channel) {
    case 'phone':
      return { subject, text: gsmText(`${product_name}: ${what} ${otherwise}`), html: '' }
    case 'push':
      return { subject, text: `${what} ${otherwise}`, html: '' }
    case 'discord': {
      const link = way === null ? '' : `\n[${escapeMarkdown(way.label)}](<${way.url}>)`
      return { subject, text: `${escapeMarkdown(`${what} ${otherwise}`)}${link}`, html: '' }
    }
    case 'email': {
      const letter: Letter = {
        site: product_name,
        subject,
        preview: '',
        blocks: [
          { kind: 'headline', badge: '', text: subject, lead: '' },
          { kind: 'paragraph', text: what },
          { kind: 'paragraph', text: otherwise },
          ...(way === null ? [] : [{ kind: 'button', ...way, isAddressShown: false } as const]),
        ],
        footer: { text: 'You get this because classes are watched for you.', links: [] },
      }
      return { subject, text: letterText(letter), html: letterHtml(letter) }
    }
  }
}
