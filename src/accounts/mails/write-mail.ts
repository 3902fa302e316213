import { oneLine } from '../../notify/clean-text.ts'
import { emailHtml } from '../../notify/email/email-html.tsx'
import { type EmailContent, emailText } from '../../notify/email/email-content.ts'

/** The content of an email about an account, before it is laid out as text and HTML. It may contain what people typed. */
export interface AccountMail {
  /** Without the site's name. */
  subject: string
  /** The heading above the text; default: the subject. */
  headline?: string
  /** Paragraphs before the link or code. */
  before: string[]
  link?: { label: string; url: string }
  /** Shown large, to be typed. */
  code?: string
  /** Facts, one per line: what, when, where. */
  facts?: { name: string; value: string }[]
  /** Paragraphs after them. */
  after: string[]
  /** At the end: what to do if that was someone else. */
  remedy?: { label: string; url: string }
}

const site = 'Class Cords'

/** The email as text and as HTML, in the style of every email of the product. */
export function writeMail(mail: AccountMail): Record<'subject' | 'text' | 'html', string> {
  const email = contentOf(mail)
  return { subject: oneLine(`[${site}] ${mail.subject}`, 120), text: emailText(email), html: emailHtml(email) }
}

function contentOf({
  subject,
  headline = subject,
  before,
  link,
  code,
  facts = [],
  after,
  remedy,
}: AccountMail): EmailContent {
  const paragraphs = (texts: string[]) => texts.map((text) => ({ kind: 'paragraph', text }) as const)
  return {
    site,
    subject,
    preview: '',
    blocks: [
      { kind: 'headline', badge: '', text: headline, lead: '' },
      ...paragraphs(before),
      ...(code ? [{ kind: 'number', label: '', value: code } as const] : []),
      ...(link ? [{ kind: 'button', ...link, isAddressShown: true } as const] : []),
      ...(facts.length > 0 ? [{ kind: 'facts', facts } as const] : []),
      ...paragraphs(after),
      ...(remedy ? [{ kind: 'button', ...remedy, isAddressShown: false } as const] : []),
    ],
    footer: { text: '', links: [] },
  }
}
