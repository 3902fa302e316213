import { memoized } from '../memoized.ts'

/** The number of a section has four or five digits at most schools. */
const HEADING = /^(.*) - (\d{3,6}) - (\S.*?) (\S+) -(?: (\S.*))?$/

/** "Bioprinting - 3D printing - 10467 - BME 401B - A01", from its end, because titles have hyphens; null if different. */
export function readTitle(heading: string) {
  const [, title = '', number = '', subject = '', level = '', section = ''] = HEADING.exec(heading) ?? []
  return number === '' ? null : { title, number, subject, level, section }
}

/** What a link in a page refers to; null if it does not say. */
export function queryOf(link: string): URLSearchParams | null {
  const [address = ''] = link.split('#', 1)
  const query = address.indexOf('?')
  return query < 0 ? null : new URLSearchParams(address.slice(query))
}

/** "3.000" → "3", "1.000 TO 3.000" → "1 - 3", "1.000 TO 1.000" → "1". */
export const creditsOf = memoized((text) =>
  text
    .replaceAll(/(\.\d{0,9}?)0{1,9}(?!\d)/g, '$1')
    .replaceAll(/\.(?!\d)/g, '')
    .replace(/ (?:to|or) /i, ' - ')
    .replace(/^(\S+) - \1$/, '$1'),
)
