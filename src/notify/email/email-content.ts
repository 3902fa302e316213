import { oneLine } from '../clean-text.ts'

/** A part of an email. Texts are plain, may come from anywhere, and are cleaned and escaped when the email is written. */
export type Block =
  | { kind: 'paragraph'; text: string }
  /** What it is about; `badge` is what happened, '' for none, `lead` a line below. */
  | { kind: 'headline'; badge: string; text: string; lead: string }
  /** Seats as a bar if both figures are known, and as text. */
  | { kind: 'seats'; available: number | null; capacity: number | null; text: string; note: string }
  /** Shown large, to be typed; `label` is '' if the text says what it is. */
  | { kind: 'number'; label: string; value: string }
  | { kind: 'button'; label: string; url: string; isAddressShown: boolean }
  | { kind: 'links'; links: Link[] }
  | { kind: 'facts'; facts: { name: string; value: string }[] }
  | { kind: 'rule' }

interface Link {
  label: string
  url: string
}

/** Every email of the product, whatever it is about. */
export interface EmailContent {
  site: string
  subject: string
  /** The preview text beside the subject; '' for the beginning of the email. */
  preview: string
  blocks: Block[]
  /** The footer: why the email was sent and how to stop. */
  footer: { text: string; links: Link[] }
}

/** A text of an email, in one line. */
export const clean = (text: string): string => oneLine(text, 1000)

export function emailText({ site, blocks, footer }: EmailContent): string {
  const parts = blocks.map(blockText).filter((part) => part !== '')
  const links = footer.links.map(linkText)
  const end = ['-- ', clean(site), ...(footer.text === '' ? [] : [clean(footer.text)]), ...links]
  return `${[...parts, end.join('\n')].join('\n\n')}\n`
}

function blockText(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
      return clean(block.text)
    case 'headline':
      return [block.badge === '' ? block.text : `${block.badge}: ${block.text}`, block.lead]
        .map(clean)
        .filter((row) => row !== '')
        .join('\n')
    case 'seats':
      return [block.text, block.note]
        .map(clean)
        .filter((row) => row !== '')
        .join(', ')
    case 'number':
      return block.label === '' ? `    ${clean(block.value)}` : `${clean(block.label)} ${clean(block.value)}`
    case 'button':
      return `${clean(block.label)}:\n${block.url}`
    case 'links':
      return block.links.map(linkText).join('\n')
    case 'facts':
      return block.facts.map(({ name, value }) => `${clean(name)}: ${clean(value)}`).join('\n')
    case 'rule':
      return '----'
  }
}

function linkText({ label, url }: Link): string {
  return `${clean(label)}${/[?!.]$/.test(label) ? '' : ':'} ${url}`
}
