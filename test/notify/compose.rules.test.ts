import { describe, expect, test } from 'vitest'

import { composeAlerts } from '../../src/notify/compose.ts'
import type { AlertFacts } from '../../src/notify/compose/alert-facts.ts'
import { escapeMarkdown } from '../../src/notify/compose/discord-embeds.ts'
import { cut, oneLine } from '../../src/notify/clean-text.ts'
import { countSegments } from '../../src/notify/sms/segments.ts'

const REGISTER = 'https://reg.school.example/StudentRegistrationSsb/ssb/term/termSelection?mode=search'
const LINK = 'https://seats.school.example/s/Ab3dE6gH9j'
const WAY_OUT = 'https://class.example/notify/unsubscribe/7.abc'

function alert(more: Partial<AlertFacts> = {}): AlertFacts {
  return {
    kind: 'opening',
    code: 'CSC',
    level: '1011',
    title: 'Intro to Computing',
    section: '02',
    label: 'CRN',
    number: '39314',
    seats_available: 3,
    capacity: 120,
    instructors: ['A. Turing', 'G. Hopper'],
    days_times: ['MW 10:00-11:15'],
    places: ['Whitman Hall 204'],
    school: 'Riverside College',
    term: '2026 Fall Term',
    register_url: REGISTER,
    observed_at: Date.UTC(2026, 9, 5, 14, 42, 12),
    time_zone: 'America/New_York',
    ...more,
  }
}

const around = { product_name: 'Class Cords', link: LINK, recipient_url: null, unsubscribe_url: null, is_first: false }
const sms = (alerts: AlertFacts[], more: { product_name?: string; is_first?: boolean } = {}) =>
  composeAlerts(alerts, { ...around, channel: 'phone', ...more }).text
const email = (alerts: AlertFacts[]) =>
  composeAlerts(alerts, {
    ...around,
    channel: 'email',
    unsubscribe_url: WAY_OUT,
    recipient_url: 'https://class.example/r/x',
  })
const discord = (alerts: AlertFacts[], unsubscribe_url: string | null = null) =>
  composeAlerts(alerts, { ...around, channel: 'discord', unsubscribe_url })

describe('SMS', () => {
  test('one opening', () => {
    expect(sms([alert()])).toBe(`Class Cords: seat open. CSC 1011-02 Intro to Computing, CRN 39314, 3 left. ${LINK}`)
  })

  test('the first to a number says how to stop them', () => {
    expect(sms([alert()], { is_first: true })).toBe(
      `Class Cords: seat open. CSC 1011-02 Intro to Computing, CRN 39314, 3 left. ${LINK} Reply STOP to end.`,
    )
  })

  test('a reminder says that it is one', () => {
    expect(sms([alert({ kind: 'reminder' })])).toMatch(/^Class Cords: still open\. CSC 1011-02 Intro/)
  })

  test('unknown facts are left out cleanly', () => {
    expect(sms([alert({ title: '', seats_available: null })])).toBe(
      `Class Cords: seat open. CSC 1011-02, CRN 39314. ${LINK}`,
    )
    expect(sms([alert({ code: '', level: '', section: '', title: '', label: '' })])).toBe(
      `Class Cords: seat open. Number 39314, 3 left. ${LINK}`,
    )
  })

  test.each([
    [1, ', 1 left.'],
    [0, ', 0 left.'],
    [-4, ', 0 left.'],
    [12, ', 12 left.'],
  ])('%i available', (seats_available, shown) => {
    expect(sms([alert({ seats_available })])).toContain(shown)
  })

  test('a title that is too long is cut, making room for how to stop', () => {
    const title = 'Advanced Topics in the Comparative History of Everything That Ever Was'
    const text = sms([alert({ title })], { is_first: true })
    expect(countSegments(text)).toMatchObject({ segments: 1, encoding: 'GSM-7' })
    expect(text).toContain('CSC 1011-02 Advanced Topics in the C')
    expect(text.endsWith(`, CRN 39314, 3 left. ${LINK} Reply STOP to end.`)).toBe(true)
    expect(text.length).toBeGreaterThanOrEqual(158)
  })

  test('several are listed with their numbers, as many as fit, and the rest counted', () => {
    const three = ['21847', '21848', '21849'].map((number, at) => alert({ level: `10${at}`, number }))
    expect(sms(three)).toBe(
      `Class Cords: 3 seats open. CSC 100-02 CRN 21847; CSC 101-02 CRN 21848; CSC 102-02 CRN 21849. ${LINK}`,
    )
    const nine = Array.from({ length: 9 }, (_, at) => alert({ level: `${1011 + at}` }))
    const text = sms(nine)
    const named = text.match(/CRN 39314/g)?.length ?? 0
    expect(named).toBeGreaterThanOrEqual(3)
    expect(text).toMatch(/^Class Cords: 9 seats open\. /)
    expect(text).toContain(`; +${9 - named} more. ${LINK}`)
    expect(countSegments(text).segments).toBe(1)
    expect(sms([alert({ kind: 'reminder' }), alert({ kind: 'reminder' })])).toContain(': 2 seats still open. ')
  })

  test.each([
    ['Women’s History – “1900s”…', 'Women\'s History - "1900s"...'],
    ['Łódź, Şahin, José', 'Lodz, Sahin, José'],
    ['История России', 'Istoriya Rossii'],
    ['Ελληνικά', 'Ellinika'],
    ['العربية', "al'rbya"],
  ])('%s is spelled in the cheap alphabet', (title, shown) => {
    expect(sms([alert({ title })])).toContain(`CSC 1011-02 ${shown}, CRN 39314`)
  })

  test.each(['中文课程', '🎓🎓', '日本語 A'])('%s has no spelling and is left out', (title) => {
    expect(sms([alert({ title })])).toContain('CSC 1011-02, CRN 39314')
  })
})

describe('email', () => {
  test('one opening', () => {
    const { subject, text, html } = email([alert()])
    expect(subject).toBe('Seat open: CSC 1011-02 Intro to Computing')
    expect(text).toBe(
      [
        'Seat open: CSC 1011-02\nIntro to Computing, Riverside College, 2026 Fall Term',
        '3 left of 120, checked 10:42:12 AM EDT',
        'CRN 39314',
        `Register at Riverside College:\n${REGISTER}`,
        `Is it still open? ${LINK}\nI got the seat: ${LINK}#got-it`,
        'When: MW 10:00-11:15\nWhere: Whitman Hall 204\nWith: A. Turing; G. Hopper',
        `-- \nClass Cords\nYou’re getting this email because we watch this class for you.\nWhat we watch for you: https://class.example/r/x\nUnsubscribe: ${WAY_OUT}\n`,
      ].join('\n\n'),
    )
    for (const said of ['CSC 1011-02', '3 left of 120', '39314', 'Whitman Hall 204', 'Register at Riverside College'])
      expect(html).toContain(said)
    for (const url of [LINK, WAY_OUT, 'https://class.example/r/x']) expect(html).toContain(`href="${url}"`)
    expect(html).toMatch(/px ui-monospace[^>]*>39314</)
  })

  test.each([
    ['of no web page', 'javascript:alert(1)'],
    ['with a password', 'https://u:p@school.example/'],
    ['of more than 400 characters', `https://school.example/${'x'.repeat(400)}`],
    ['that is none', 'school.example'],
  ])('a link to register %s is left out', (_what, register_url) => {
    expect(email([alert({ register_url })]).html).not.toContain('Register at')
    expect(JSON.stringify(discord([alert({ register_url })]).embeds)).not.toContain('Register')
  })

  test.each([
    [['opening', 'opening'], '2 seats open: CSC 1011'],
    [['reminder'], 'Still open: CSC 1011-02 Intro to Computing'],
    [['reminder', 'reminder'], '2 seats still open: CSC 1011'],
    [['opening', 'reminder'], '2 seats open: CSC 1011'],
  ] as const)('%j', (kinds, subject) => {
    expect(email(kinds.map((kind) => alert({ kind }))).subject).toBe(subject)
  })

  test('every section is named, up to a hundred, and email apps do not cut off the email', () => {
    const many = Array.from({ length: 130 }, (_, at) => alert({ level: `L${at}L` }))
    const { text, html, subject } = email(many)
    for (const part of [text, html]) {
      for (let at = 0; at < 100; at += 1) expect(part).toContain(`CSC L${at}L-02`)
      expect(part).toContain('+30 more')
    }
    expect(subject.length).toBeLessThanOrEqual(120)
    expect(new TextEncoder().encode(html).length).toBeLessThan(102_000)
  })
})

describe('Discord', () => {
  test('one opening is a card with the same facts', () => {
    const { text, embeds } = discord([alert()], WAY_OUT)
    expect(text).toBe(`Seat open: CSC 1011-02 Intro to Computing\n-# [Stop these messages](<${WAY_OUT}>)`)
    expect(embeds).toEqual([
      {
        title: 'Seat open: CSC 1011-02 Intro to Computing',
        url: LINK,
        color: 0x14a152,
        fields: [
          { name: 'CRN', value: '`39314`', inline: true },
          { name: 'Seats', value: '3 left of 120', inline: true },
          { name: 'When', value: 'MW 10:00-11:15', inline: false },
          { name: 'Where', value: 'Whitman Hall 204', inline: false },
          { name: 'With', value: 'A. Turing; G. Hopper', inline: false },
          { name: 'At', value: 'Riverside College, 2026 Fall Term', inline: false },
          { name: 'Register', value: REGISTER, inline: false },
        ],
        footer: { text: 'checked 10:42:12 AM EDT' },
      },
    ])
  })

  test('ten sections have a card, the rest are counted', () => {
    const { text, embeds } = discord(Array.from({ length: 40 }, () => alert()))
    expect(embeds).toHaveLength(10)
    expect(text).toContain('\n+30 more')
  })

  test.each([
    [
      '**bold** _it_ ~~no~~ `code` ||hidden||',
      '\\*\\*bold\\*\\* \\_it\\_ \\~\\~no\\~\\~ \\`code\\` \\|\\|hidden\\|\\|',
    ],
    ['@everyone <@123> <#5>', '\\@everyone \\<\\@123\\> \\<\\#5\\>'],
    ['[a](https://evil.example)', '\\[a\\]\\(https\\://evil.example\\)'],
    ['# Heading', '\\# Heading'],
    ['- item', '\\- item'],
    ['1. item', '1\\. item'],
    ['C\\*', 'C\\\\\\*'],
  ])('%s means nothing', (text, escaped) => {
    expect(escapeMarkdown(text)).toBe(escaped)
  })
})

test('an empty message is never made', () => {
  expect(() => sms([])).toThrow(RangeError)
})

test('text is cleaned and cut between code points', () => {
  expect(oneLine(' a\r\n\tb\u0000\u200b\u202e  c\ud800 \u2028d ', 20)).toBe('a b c d')
  expect(oneLine('Jose\u0301', 4)).toBe('José')
  // Invisible fillers and tags, and marks that stack over the line above; letters, emoji and scripts stay whole.
  expect(oneLine('a\u00ad\u3164\u{e0041}b\ufffa c\u2066d\u2069', 20)).toBe('ab cd')
  expect(oneLine(`Z${'\u0336'.repeat(40)}algo`, 20)).toBe(`Z${'\u0336'.repeat(6)}algo`)
  for (const whole of ['👩‍🎓 Việt ngữ', 'လျှော့ဈေး', 'नमस्ते क्षत्रिय', 'می‌خواهم', 'בְּרֵאשִׁ֖ית', '🏳️‍🌈'])
    expect(oneLine(whole, 40)).toBe(whole.normalize('NFC'))
  expect(cut('🎓🎓🎓🎓', 3, '…')).toBe('🎓🎓…')
  expect(cut('🎓🎓🎓', 3, '…')).toBe('🎓🎓🎓')
  expect(cut('abc', 0, '…')).toBe('…')
})
