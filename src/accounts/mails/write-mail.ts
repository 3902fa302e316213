import { escapeHtml, oneLine } from '../../notify/clean-text.ts'

/** What a mail about an account says, before it is laid out as text and HTML. Texts may hold what people typed. */
export interface AccountMail {
  /** Without the site's name. */
  subject: string
  /** Paragraphs before the link or code. */
  before: string[]
  link?: { label: string; url: string }
  /** Shown large, to be typed. */
  code?: string
  /** Facts, one a line: what, when, where. */
  facts?: { name: string; value: string }[]
  /** Paragraphs after them. */
  after: string[]
}

interface WrittenMail {
  subject: string
  text: string
  html: string
}

const site = 'Class Cords'

/** The mail as text and as HTML without pictures, scripts or anything to load. What people typed is escaped. */
export function writeMail(mail: AccountMail): WrittenMail {
  return { subject: oneLine(`[${site}] ${mail.subject}`, 120), text: textOf(mail), html: htmlOf(mail) }
}

const clean = (text: string) => oneLine(text, 1000)

function textOf({ before, link, code, facts = [], after }: AccountMail): string {
  const parts = before.map(clean)
  if (code) parts.push(`    ${code}`)
  if (link) parts.push(`${clean(link.label)}:\n${link.url}`)
  if (facts.length > 0) parts.push(facts.map(({ name, value }) => `${name}: ${clean(value)}`).join('\n'))
  return `${[...parts, ...after.map(clean), `-- \n${site}`].join('\n\n')}\n`
}

const page =
  'margin:0;padding:24px 12px;background:#f5f6fa;color:#1d2130;font:16px/1.5 system-ui,-apple-system,Segoe UI,Roboto,sans-serif'
const card = 'max-width:32rem;margin:0 auto;padding:24px;background:#ffffff;border:1px solid #dfe2ec;border-radius:10px'
const button =
  'display:inline-block;padding:12px 20px;border-radius:6px;background:#2f4fc4;color:#ffffff;font-weight:600;text-decoration:none'
const codeBox =
  'padding:12px 16px;border-radius:6px;background:#eef0f8;font:600 28px/1.3 ui-monospace,Menlo,Consolas,monospace;letter-spacing:2px'
const small = 'font-size:14px;color:#545a70'

function htmlOf({ subject, before, link, code, facts = [], after }: AccountMail): string {
  const title = escapeHtml(clean(subject))
  const url = link === undefined ? '' : escapeHtml(link.url)
  return [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head>`,
    `<body style="${page}"><div style="${card}">`,
    `<h1 style="margin:0 0 16px;font-size:20px;line-height:1.3">${title}</h1>`,
    ...before.map(paragraph),
    ...(code ? [`<p style="${codeBox}">${escapeHtml(code)}</p>`] : []),
    ...(link ? [`<p><a href="${url}" style="${button}">${escapeHtml(clean(link.label))}</a></p>`] : []),
    ...(link ? [`<p style="${small};overflow-wrap:anywhere">Or open this address: <br>${url}</p>`] : []),
    ...(facts.length > 0 ? [`<p style="${small}">${facts.map(fact).join('<br>')}</p>`] : []),
    ...after.map(paragraph),
    '</div></body></html>',
  ].join('\n')
}

const paragraph = (text: string) => `<p>${escapeHtml(clean(text))}</p>`
const fact = ({ name, value }: { name: string; value: string }) =>
  `<strong>${escapeHtml(name)}:</strong> ${escapeHtml(clean(value))}`
