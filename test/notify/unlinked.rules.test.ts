import fc from 'fast-check'
import { findPhoneNumbersInText } from 'libphonenumber-js'
import { describe, expect, test } from 'vitest'

import { composeAlerts } from '../../src/notify/compose.ts'
import type { AlertFacts } from '../../src/notify/compose/alert-facts.ts'
import { preventAutolinks, withoutAddresses } from '../../src/notify/compose/prevent-autolinks.ts'
import { countSegments } from '../../src/notify/sms/segments.ts'

const LINK = 'https://seats.school.example/s/Ab3dE6gH9j'
const ways = [LINK, `${LINK}#got-it`, 'https://class.example/r/x', 'https://class.example/notify/unsubscribe/7.abc']

const telephone = fc
  .tuple(
    fc.integer({ min: 0, max: 9999 }),
    fc.constantFrom(
      '202-555-',
      '(202) 555-',
      '202.555.',
      '202 555 ',
      '+1 202 555 ',
      '+1202555',
      '202555',
      '1-202-555-',
    ),
  )
  .map(([last, start]) => `${start}${String(last).padStart(4, '0')}`)
/** What a person would write to get a link into one of our messages. */
const bait = fc.oneof(
  fc.domain(),
  fc.webUrl({ withQueryParameters: true }),
  fc.emailAddress(),
  telephone,
  fc.ipV4(),
  fc.constantFrom(
    'evil.com',
    'WWW.EVIL.COM',
    'www.x',
    'evil。com',
    'evil．com',
    'evil․com',
    'evil.\u{1F393}com',
    'ev\u200dil.co\u200dm',
    'пример.рф',
    'i❤.ws',
    'discord.gg/abc',
    'mailto:a@evil.com',
    'tel:2025550143',
    'sms:+12025550143',
    '//evil.com/x',
    '[a](https://evil.com)',
    '<https://evil.com>',
    '@everyone',
    '<@123456789012345678>',
    '<t:1790000000:R>',
    '**bold** [x]',
    '٢٠٢٥٥٥٠١٤٣',
  ),
)
const school = fc.constantFrom(
  'Intro to',
  'ASP.NET',
  'U.S. History',
  'Ph.D. Seminar',
  'Dr.Smith',
  '10.30',
  'MW10:00-11:15',
)
const text = fc
  .tuple(fc.array(fc.oneof(bait, bait, school), { minLength: 1, maxLength: 4 }), fc.constantFrom(' ', '', ', ', '…'))
  .map(([parts, between]) => parts.join(between))
const facts: fc.Arbitrary<AlertFacts> = fc.record({
  kind: fc.constantFrom('opening', 'reminder'),
  code: fc.oneof(text, fc.constant('CSC')),
  level: fc.constantFrom('1011', 'evil.com', '.com'),
  title: text,
  section: fc.constantFrom('02', '.com', 'x.io'),
  label: fc.constantFrom('CRN', 'evil.com'),
  number: fc.constantFrom('39314', 'evil.com'),
  seats_available: fc.constantFrom(null, 3),
  capacity: fc.constantFrom(null, 120),
  instructors: fc.array(text, { maxLength: 3 }),
  days_times: fc.array(text, { maxLength: 3 }),
  places: fc.array(text, { maxLength: 3 }),
  school: text,
  term: text,
  register_url: fc.constant(null),
  observed_at: fc.constant(Date.UTC(2026, 9, 5, 14, 42, 12)),
  time_zone: fc.constant('America/New_York'),
})

/** Host names, addresses and schemes as generously as programs find them. */
const linkable = /[^\s.]\.\p{L}{2}|www\.[^\s,]|\p{L}:[\p{L}\p{N}/]|:\/\/|\d\.\d+\.\d+\.\d/u
const withoutOurs = (message: string) => ways.reduce((rest, way) => rest.replaceAll(way, ' '), message)

const expectNoLink = (message: string) => expect(withoutOurs(message)).not.toMatch(linkable)

const compose = (alerts: AlertFacts[], channel: 'phone' | 'email' | 'discord' | 'push') =>
  composeAlerts(alerts, {
    channel,
    product_name: 'Class Cords',
    link: LINK,
    recipient_url: ways[2] ?? null,
    unsubscribe_url: ways[3] ?? null,
    is_first: false,
  })

describe('nothing that a school writes becomes a link', () => {
  const several = fc.array(facts, { minLength: 1, maxLength: 3 })

  test('in a text, which stays one segment', () => {
    fc.assert(
      fc.property(several, (alerts) => {
        const message = compose(alerts, 'phone').text
        expectNoLink(message)
        expect(countSegments(message)).toMatchObject({ encoding: 'GSM-7', segments: 1 })
        expect(message.endsWith(` ${LINK}`)).toBe(true)
      }),
    )
  })

  test('in a notification', () => {
    fc.assert(
      fc.property(several, (alerts) => {
        const { subject, text: body } = compose(alerts, 'push')
        for (const said of [subject, body]) expectNoLink(said)
      }),
    )
  })

  test('in an email, as text and as HTML', () => {
    fc.assert(
      fc.property(several, (alerts) => {
        const { subject, text: plain, html } = compose(alerts, 'email')
        for (const line of [subject, ...plain.split('\n')]) expectNoLink(line)
        const shown = html.slice(html.indexOf('</style>')).replace(/<[^>]*>/g, '\n')
        for (const line of shown.split('\n')) expectNoLink(line.replace(/&[a-z#\d]+;/g, ' '))
        for (const [, href = ''] of html.matchAll(/href="([^"]*)"/g)) expect(ways).toContain(href)
      }),
    )
  })

  test('in a Discord message, nor a mention or a time', () => {
    fc.assert(
      fc.property(several, (alerts) => {
        const { text: content, embeds } = compose(alerts, 'discord')
        const ours = content.replace(/\n-# \[.*$/, '')
        const said = embeds.flatMap(({ title, fields }) => [
          title,
          ...fields.flatMap(({ name, value }) => [name, value]),
        ])
        for (const one of [ours, ...said]) {
          expectNoLink(one)
          expect(one.replace(/^`[^`]*`$|\\[^\sA-Za-z0-9]/g, '')).not.toMatch(/[*~`|<>@[\]]/)
        }
        expect(embeds.map(({ url }) => url.replace(/#\d+$/, ''))).toEqual(embeds.map(() => LINK))
        expect(new Set(embeds.map(({ url }) => url)).size).toBe(embeds.length)
      }),
    )
  })

  test('nor a telephone number', () => {
    const calls = fc.array(fc.oneof(telephone, fc.ipV4(), school, fc.constant('٢٠٢٥٥٥٠١٤٣')), {
      minLength: 1,
      maxLength: 4,
    })
    fc.assert(
      fc.property(calls, facts, (parts, around) => {
        const plain = { label: 'CRN', number: '39314', code: 'CSC', level: '1011', section: '02', school: '', term: '' }
        const alert = { ...around, ...plain, instructors: [], days_times: [], places: [], title: parts.join(' call ') }
        const text = compose([alert], 'phone').text
        const push = compose([alert], 'push')
        for (const said of [text, push.subject, push.text])
          expect(findPhoneNumbersInText(withoutOurs(said), 'US').map(({ number }) => number.number)).toEqual([])
      }),
    )
  })
})

test.each([
  ['Visit evil.com now', 'Visit evil. com now'],
  ['Web Apps with ASP.NET', 'Web Apps with ASP. NET'],
  ['a.turing@school.edu', 'a. turing@school. edu'],
  ['https://evil.com/x', 'https: //evil. com/x'],
  ['Call 202-555-0143 or (202) 555-0143', 'Call 202_555_0143 or 202_555_0143'],
  ['Call +44 20 7946 0958 or 2025550143', 'Call 44_20_7946_0958 or 202_555_0143'],
  ['198.51.100.7', '198_51_100_7'],
])('%s is shown as %s', (title, shown) => {
  expect(preventAutolinks(title)).toBe(shown)
})

test.each([
  'U.S. History since 1865',
  'Ph.D. Seminar',
  'MW 10:00-11:15',
  'MW10:00am-11:15am',
  '2026-2027',
  '08-24-2026',
  '0900-1015 0900-1015',
  'Whitman Hall 204 1115',
  'C++ and C# (v1.2)',
  'Node.j and 3.5 credits...',
])('%s is left as it is', (title) => {
  expect(preventAutolinks(title)).toBe(title)
})

test('the codes of courses and sections are unchanged', () => {
  for (const name of ['CSC 311-0201', '198 111-05', 'MATH 1110-E01']) expect(withoutAddresses(name)).toBe(name)
})
