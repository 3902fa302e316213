import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { composeAlerts } from '../../src/notify/compose.ts'
import type { AlertFacts } from '../../src/notify/compose/alert-facts.ts'
import { countSegments } from '../../src/notify/sms/segments.ts'
import { unshownFacts } from './unshown-facts.ts'

const WAY_OUT = 'https://class.example/notify/unsubscribe/7.abc'
/** The longest allowed host for links. */
const LINK = `https://${'h'.repeat(27)}.example/s/Ab3dE6gH9j`
/** The longest allowed product name. */
const product_name = 'N'.repeat(25)

const around = { product_name, link: LINK, recipient_url: null, unsubscribe_url: WAY_OUT }
const sms = (alerts: AlertFacts[], is_first = true) =>
  composeAlerts(alerts, { ...around, is_first, channel: 'phone' }).text
const email = (alerts: AlertFacts[]) => composeAlerts(alerts, { ...around, is_first: false, channel: 'email' })
const discord = (alerts: AlertFacts[]) => composeAlerts(alerts, { ...around, is_first: false, channel: 'discord' })

const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.constantFrom(
    '<script>alert(1)</script>',
    '"><img src=x onerror=1>',
    "' onmouseover='x",
    '\r\nBcc: a@b',
    '‮evil',
    '\u2067evil\u2066\u200b\ufeff\u3164\u{e0041}',
    `Z${'\u0336'.repeat(100)}`,
    'W'.repeat(300),
    '@everyone',
    '**x**',
    '{[~€]}^|'.repeat(12),
  ),
)
const links = fc.oneof(
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  nasty,
  fc.constantFrom(
    'javascript:alert(1)',
    'data:text/html,x',
    'https://a.example/"><script>',
    'https://u:p@a.example/',
    `https://a.example/${'~'.repeat(380)}`,
  ),
)
const figure = fc.option(fc.oneof(fc.integer({ min: -50, max: 2000 }), fc.integer(), fc.double()))
const facts: fc.Arbitrary<AlertFacts> = fc.record({
  kind: fc.constantFrom('opening', 'reminder'),
  code: nasty,
  level: nasty,
  title: nasty,
  section: nasty,
  label: fc.oneof(nasty, fc.constantFrom('CRN', 'Class #', 'Synonym', 'Index')),
  number: nasty,
  seats_available: figure,
  capacity: figure,
  instructors: fc.array(nasty, { maxLength: 8 }),
  days_times: fc.array(nasty, { maxLength: 8 }),
  places: fc.array(nasty, { maxLength: 8 }),
  school: nasty,
  term: nasty,
  register_url: fc.option(links),
  observed_at: fc.option(fc.constant(1_790_000_000_000)),
  time_zone: fc.constantFrom('America/New_York', 'America/Los_Angeles', 'UTC'),
})
const several = fc.array(facts, { minLength: 1, maxLength: 12 })

/** Real text of schools: long titles, accents, other scripts, emoji, nothing. */
const words = fc.constantFrom(
  'Advanced',
  'Topics',
  'Méthodes',
  'Qualitätssicherung',
  'Łódź',
  'العربية',
  'مقدمة في',
  '中文',
  '微積分',
  '한국어',
  'История',
  'Ελληνικά',
  'עברית',
  '🎓',
  'for',
  '&',
  '(Lab)',
  '[Hybrid]',
  'I',
  '{x}',
  'Women’s',
)
const school = fc.record({
  code: fc.constantFrom('CS', 'MATH', 'ÉCON', 'ARAB', 'CHN', 'BIOSCI', 'X'),
  level: fc.constantFrom('101', '1110', '4990H', '5', '210L'),
  title: fc.array(words, { maxLength: 24 }).map((chosen) => chosen.join(' ')),
  section: fc.constantFrom('02', '004', 'HYB-12', '', 'Ω1'),
  label: fc.constantFrom('CRN', 'Class #', 'Synonym', 'Index'),
  number: fc.integer({ min: 1, max: 9_999_999 }).map(String),
})

describe('whatever a school writes', () => {
  test('an SMS about one section is one segment with its number and its link', () => {
    // An SMS shows nothing else of a section, which the next test tries with all of it.
    const shown = fc.record({ kind: fc.constantFrom('opening', 'reminder'), seats_available: figure, capacity: figure })
    const sections = fc.sample(fc.tuple(shown, school, fc.boolean()), { numRuns: 10_000 })
    for (const [seats, named, is_first] of sections) {
      const text = sms([{ ...unshownFacts, ...seats, ...named }], is_first)
      const { segments, encoding } = countSegments(text)
      if (segments !== 1 || encoding !== 'GSM-7') expect(text).toBe('one segment')
      if (!text.includes(`${named.label} ${named.number}`)) expect(text).toContain(`${named.label} ${named.number}`)
      expect(text.endsWith(`. ${LINK}${is_first ? ' Reply STOP to end.' : ''}`)).toBe(true)
    }
  })

  test('an SMS is one segment of one line, with its link', () => {
    fc.assert(
      fc.property(several, (alerts) => {
        const text = sms(alerts)
        expect(countSegments(text)).toMatchObject({ segments: 1, encoding: 'GSM-7' })
        expect(text).not.toMatch(/[\p{Cc}\p{Cs}]/u)
        expect(text).toContain(` ${LINK} Reply STOP to end.`)
      }),
    )
  })

  test("an email's subject and text contain no line made by the school", () => {
    fc.assert(
      fc.property(several, (alerts) => {
        const { subject, text } = email(alerts)
        expect(subject).not.toMatch(/[\p{Cc}\p{Cs}]/u)
        expect(subject.length).toBeLessThanOrEqual(240)
        for (const row of text.split('\n')) expect(row).not.toMatch(/[\p{Cc}\p{Cs}]/u)
        expect(text.split('\n').length).toBeLessThanOrEqual(8 + 20 * alerts.length)
      }),
    )
  })

  test("an email's HTML has only our own tags and attributes", () => {
    const tag =
      /^(?:!doctype html|\/?(?:html|head|title|body|style|tbody|tr|b|div|span|h1|td|table|a)|br\/|(?:html|meta|body|table|td|tr|div|span|h1|a)(?: (?:lang|charSet|charset|name|content|class|style|role|align|href)="[^"<>]*"| (?:width|cellPadding|cellSpacing|cellpadding|cellspacing)="\d+%?")*\/?)$/
    fc.assert(
      fc.property(several, (alerts) => {
        const { html } = email(alerts)
        const body = html.slice(html.indexOf('</style>') + 8)
        for (const [, inside = ''] of html.matchAll(/<([^>]*)>/g)) expect(inside).toMatch(tag)
        for (const [, href = ''] of html.matchAll(/href="([^"]*)"/g)) expect(href).toMatch(/^https?:\/\//)
        const shown = body.replace(/<[^>]*>/g, '')
        expect(shown).not.toMatch(/[<>"]/)
        expect(shown).not.toMatch(/&(?!(?:amp|lt|gt|quot|#x27|nbsp);)/)
      }),
    )
  })

  test('a Discord message stays within its limits, and outside text has no markup', () => {
    fc.assert(
      fc.property(several, (alerts) => {
        const { text, embeds } = discord(alerts)
        expect(text.length).toBeLessThanOrEqual(2000)
        expect(embeds.length).toBeGreaterThan(0)
        const all = embeds.flatMap(({ title, fields, footer }) => [
          title,
          footer.text,
          ...fields.flatMap(({ name, value }) => [name, value]),
        ])
        expect(all.join('').length).toBeLessThanOrEqual(6000)
        for (const { title, fields } of embeds) {
          expect(title.length).toBeLessThanOrEqual(256)
          for (const { name, value } of fields) {
            expect([name.length > 0 && name.length <= 256, value.length > 0 && value.length <= 1024]).toEqual([
              true,
              true,
            ])
          }
        }
        const [first = ''] = text.split('\n')
        expect(first.replace(/\\[^\sA-Za-z0-9]/g, '')).not.toMatch(/[\\*_~`|<>#@[\]()]/)
      }),
    )
  })

  test('no channel shows invisible, reversing or stacking characters', () => {
    const hidden = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\u{e0000}-\u{e007f}]|\p{M}{7}/u
    fc.assert(
      fc.property(several, (alerts) => {
        const mail = email(alerts)
        const push = composeAlerts(alerts, { ...around, is_first: false, channel: 'push' })
        for (const text of [sms(alerts), mail.subject, mail.text, mail.html, push.subject, push.text])
          expect(text).not.toMatch(hidden)
        expect(JSON.stringify(discord(alerts))).not.toMatch(hidden)
      }),
    )
  })

  test('the same alerts always give the same text', () => {
    fc.assert(
      fc.property(several, (alerts) => {
        expect(email(structuredClone(alerts))).toEqual(email(alerts))
        expect(sms(structuredClone(alerts))).toBe(sms(alerts))
      }),
    )
  })
})
