import { describe, expect, test } from 'vitest'

import { composeAlerts } from '../../src/notify/compose.ts'
import type { AlertLine } from '../../src/notify/compose.ts'
import { escapeMarkdown } from '../../src/notify/compose/discord-text.ts'
import { cut, escapeHtml, oneLine } from '../../src/notify/clean-text.ts'
import { countSegments } from '../../src/notify/sms/segments.ts'

const LINK = 'https://reg.school.example/StudentRegistrationSsb/ssb/term/termSelection?mode=search'
const WAY_OUT = 'https://class.example/notify/unsubscribe/7.abc'

function alert(more: Partial<AlertLine> = {}): AlertLine {
  return {
    kind: 'opening',
    code: 'CSC',
    level: '1011',
    topic: 'Intro to Computing',
    instructors: ['A. Turing', 'G. Hopper'],
    days_times: ['MW 10:00-11:15'],
    seats_available: 3,
    link: LINK,
    school: 'Riverside College',
    section: '02',
    number: '39314',
    ...more,
  }
}

const sms = (alerts: AlertLine[]) => composeAlerts(alerts, { channel: 'phone', unsubscribe_url: null }).text
const email = (alerts: AlertLine[]) => composeAlerts(alerts, { channel: 'email', unsubscribe_url: WAY_OUT })
const discord = (alerts: AlertLine[]) => composeAlerts(alerts, { channel: 'discord', unsubscribe_url: null }).text

describe('SMS', () => {
  test('one opening', () => {
    expect(sms([alert()])).toBe(
      `CSC 1011 - Intro to Computing (A. Turing, G. Hopper), MW 10:00-11:15, 3 seats, ${LINK}\nReply STOP to opt out`,
    )
  })

  test('a reminder says that it is one', () => {
    expect(sms([alert({ kind: 'reminder' })])).toMatch(/^Still open: CSC 1011 - Intro to Computing/)
  })

  test('what is not known is left out, and nothing dangles', () => {
    const bare = alert({ topic: '', instructors: [' '], days_times: [], seats_available: null, link: null })
    expect(sms([bare])).toBe('CSC 1011\nReply STOP to opt out')
  })

  test.each([
    [1, '1 seat,'],
    [0, '0 seats,'],
    [-4, '0 seats,'],
    [12, '12 seats,'],
  ])('%i available', (seats_available, shown) => {
    expect(sms([alert({ seats_available })])).toContain(`, ${shown}`)
  })

  test('lines that do not fit are dropped whole and counted', () => {
    const lines = Array.from({ length: 9 }, (_, at) => alert({ level: `${1011 + at}` }))
    const rows = sms(lines).split('\n')
    const kept = rows.filter((row) => row.endsWith(LINK)).length
    expect(kept).toBeGreaterThanOrEqual(2)
    expect(rows).toHaveLength(kept + 2)
    expect(rows.at(-2)).toBe(`+${9 - kept} more`)
    expect(sms(lines.slice(0, kept))).not.toContain('more')
  })

  test('a monster loses words and keeps its whole link', () => {
    const monster = alert({
      topic: 'x'.repeat(500),
      instructors: Array(9).fill('y'.repeat(90)),
      days_times: Array(9).fill('z'.repeat(90)),
    })
    const [line = '', ...rest] = sms([monster, alert()]).split('\n')
    expect(line).toMatch(/^CSC 1011 - x+/)
    expect(line.endsWith(`..., ${LINK}`)).toBe(true)
    expect(rest).toEqual(['+1 more', 'Reply STOP to opt out'])
  })

  test('accents are given up before sections are', () => {
    const lines = Array.from({ length: 3 }, (_, at) => alert({ level: `${1011 + at}`, instructors: ['Ö. Şahin'] }))
    const text = sms(lines)
    expect(countSegments(text).encoding).toBe('GSM-7')
    expect(text).toContain('(Ö. Sahin)')
    expect(sms(lines.slice(0, 1))).toContain('Ş')
  })

  test.each([
    ['of no web page', 'javascript:alert(1)'],
    ['with a password', 'https://u:p@school.example/'],
    ['with a user', 'https://u@school.example/'],
    ['of more than 400 characters', `https://school.example/${'x'.repeat(400)}`],
    ['that is none', 'school.example'],
  ])('a link %s is left out', (_what, link) => {
    expect(sms([alert({ link })])).toMatch(/, 3 seats\nReply/)
    expect(email([alert({ link })]).html).not.toContain('View on school site')
    expect(discord([alert({ link })])).toMatch(/, 3 seats\nRiverside/)
  })

  test('typographic marks do not cost a segment', () => {
    expect(countSegments(sms([alert({ topic: 'Women’s History – “1900s”…' })])).encoding).toBe('GSM-7')
  })
})

describe('e-mail', () => {
  test('one opening', () => {
    const { subject, text, html } = email([alert()])
    expect(subject).toBe('Seat open: CSC 1011 - Intro to Computing')
    expect(text).toBe(
      [
        'A seat opened in a section watched for you.',
        `* CSC 1011 - Intro to Computing (A. Turing, G. Hopper), MW 10:00-11:15, 3 seats\n  Riverside College, section 02, number 39314\n  ${LINK}`,
        `Stop these messages: ${WAY_OUT}\n`,
      ].join('\n\n'),
    )
    expect(html).toContain(`<a href="${LINK}">`)
    expect(html).toContain(`<a href="${WAY_OUT}">Stop these messages</a>`)
    expect(html).toContain('Riverside College, section 02, number 39314')
  })

  test.each([
    [['opening', 'opening'], 'Seats open in 2 sections: CSC 1011', 'Seats opened in 2 sections watched for you.'],
    [['reminder'], 'Still open: CSC 1011 - Intro to Computing', 'A section watched for you is still open.'],
    [['reminder', 'reminder'], '2 sections still open: CSC 1011', '2 sections watched for you are still open.'],
    [['opening', 'reminder'], 'Seats open in 2 sections: CSC 1011', '2 sections watched for you have open seats.'],
  ] as const)('%j', (kinds, subject, start) => {
    const mail = email(kinds.map((kind) => alert({ kind })))
    expect(mail.subject).toBe(subject)
    expect(mail.text.startsWith(start)).toBe(true)
  })

  test('every section is named, up to a hundred', () => {
    const many = Array.from({ length: 130 }, (_, at) => alert({ level: `L${at}` }))
    const { text, html, subject } = email(many)
    expect(text.match(/^\* /gm)).toHaveLength(100)
    expect(text).toContain('+30 more')
    expect(html).toContain('+30 more')
    expect(subject.length).toBeLessThanOrEqual(120)
  })
})

describe('Discord', () => {
  test('one opening, its link without a preview', () => {
    expect(discord([alert()])).toBe(
      `CSC 1011 - Intro to Computing \\(A. Turing, G. Hopper\\), MW 10:00-11:15, 3 seats, <${LINK}>\nRiverside College, section 02, number 39314`,
    )
  })

  test('many are cut to the limit by whole sections', () => {
    const text = discord(Array.from({ length: 40 }, () => alert()))
    expect(text.length).toBeLessThanOrEqual(2000)
    const kept = text.split(LINK).length - 1
    expect(text.endsWith(`\n+${40 - kept} more`)).toBe(true)
  })

  test('the longest alert fits with its link and how to unsubscribe', () => {
    const stars = '*'.repeat(300)
    const many = Array<string>(9).fill(stars)
    const link = `https://school.example/${'x'.repeat(370)}`
    const named = { code: stars, level: stars, topic: stars, school: stars, section: stars, number: stars }
    const monster = alert({ ...named, instructors: many, days_times: many, link })
    const unsubscribe_url = `https://class.example/${'y'.repeat(370)}`
    const { text } = composeAlerts(Array(12).fill(monster), { channel: 'discord', unsubscribe_url })
    expect(text.length).toBeLessThanOrEqual(2000)
    expect(text).toContain(`, <${link}>\n`)
    expect(text).toMatch(/\n\+11 more\nStop these messages: <https:\/\/class\.example\/y+>$/)
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

test('a message of nothing is not made', () => {
  expect(() => sms([])).toThrow(RangeError)
})

test('text is cleaned, cut between code points and escaped', () => {
  expect(oneLine(' a\r\n\tb\u0000\u200b\u202e  c\ud800 \u2028d ', 20)).toBe('a b c d')
  expect(oneLine('Jose\u0301', 4)).toBe('José')
  expect(cut('🎓🎓🎓🎓', 3, '…')).toBe('🎓🎓…')
  expect(cut('🎓🎓🎓', 3, '…')).toBe('🎓🎓🎓')
  expect(cut('abc', 0, '…')).toBe('…')
  expect(escapeHtml(`<a href="x">'&'</a>`)).toBe('&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;')
})
