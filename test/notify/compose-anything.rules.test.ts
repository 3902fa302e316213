import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { composeAlerts } from '../../src/notify/compose.ts'
import type { AlertLine } from '../../src/notify/compose.ts'
import { countSegments } from '../../src/notify/sms/segments.ts'

const WAY_OUT = 'https://class.example/notify/unsubscribe/7.abc'

const sms = (alerts: AlertLine[]) => composeAlerts(alerts, { channel: 'phone', unsubscribe_url: null }).text
const email = (alerts: AlertLine[]) => composeAlerts(alerts, { channel: 'email', unsubscribe_url: WAY_OUT })
const discord = (alerts: AlertLine[]) => composeAlerts(alerts, { channel: 'discord', unsubscribe_url: null }).text

describe('whatever a school writes', () => {
  const nasty = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.string({ unit: 'grapheme', maxLength: 300 }),
    fc.constantFrom(
      '<script>alert(1)</script>',
      '"><img src=x onerror=1>',
      "' onmouseover='x",
      '\r\nBcc: a@b',
      '‮evil',
      '@everyone',
      '**x**',
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
  const line: fc.Arbitrary<AlertLine> = fc.record({
    kind: fc.constantFrom('opening', 'reminder'),
    code: nasty,
    level: nasty,
    topic: nasty,
    instructors: fc.array(nasty, { maxLength: 8 }),
    days_times: fc.array(nasty, { maxLength: 8 }),
    seats_available: fc.option(fc.oneof(fc.integer(), fc.double())),
    link: fc.option(links),
    school: nasty,
    section: nasty,
    number: nasty,
  })
  const lines = fc.array(line, { minLength: 1, maxLength: 12 })

  test('an SMS has at most three segments, no control characters and its unsubscribe word', () => {
    fc.assert(
      fc.property(lines, (alerts) => {
        const text = sms(alerts)
        expect(countSegments(text).segments).toBeLessThanOrEqual(3)
        expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cs}]/u)
        const rows = text.split('\n')
        expect(rows.at(-1)).toBe('Reply STOP to opt out')
        expect(rows.length).toBeLessThanOrEqual(alerts.length + 1 + (alerts.length > 1 ? 1 : 0))
        const dropped = Number(/^\+(\d+) more$/.exec(rows.at(-2) ?? '')?.[1] ?? 0)
        expect(rows.length - 1 - (dropped > 0 ? 1 : 0) + dropped).toBe(alerts.length)
      }),
    )
  })

  test('an SMS holds a link whole or not at all', () => {
    fc.assert(
      fc.property(line, fc.webUrl({ withQueryParameters: true }), (one, url) => {
        const { href } = new URL(url)
        fc.pre(href.length <= 300 && countSegments(href).units <= 350)
        const [first = ''] = sms([{ ...one, link: url }]).split('\n')
        expect(first.endsWith(href)).toBe(true)
      }),
    )
  })

  test('a mail’s subject and text have no line of the school’s making', () => {
    fc.assert(
      fc.property(lines, (alerts) => {
        const { subject, text } = email(alerts)
        expect(subject).not.toMatch(/[\p{Cc}\p{Cs}]/u)
        expect(subject.length).toBeLessThanOrEqual(240)
        for (const row of text.split('\n')) expect(row).not.toMatch(/[\p{Cc}\p{Cs}]/u)
        expect(text.split('\n').length).toBeLessThanOrEqual(6 + 4 * alerts.length)
      }),
    )
  })

  test('a mail’s HTML has no tag and no attribute but ours', () => {
    const ours =
      /^(?:!doctype html|\/?(?:html|head|title|body|p|ul|li|strong|a)|html lang="en"|meta charset="utf-8"|br|a href="https?:\/\/[^"<>\s]*")$/
    fc.assert(
      fc.property(lines, (alerts) => {
        const { html } = email(alerts)
        for (const [, inside = ''] of html.matchAll(/<([^>]*)>/g)) expect(inside).toMatch(ours)
        const words = html.replace(/<[^>]*>/g, '')
        expect(words).not.toMatch(/[<>"]/)
        expect(words).not.toMatch(/&(?!(?:amp|lt|gt|quot|#39);)/)
      }),
    )
  })

  test('a Discord message has at most 2000 characters and no bare mark', () => {
    fc.assert(
      fc.property(lines, (alerts) => {
        const text = discord(alerts)
        expect(text.length).toBeLessThanOrEqual(2000)
        const words = text.replace(/, <https?:\/\/[^<>\s]*>(?=\n|$)/g, '').replace(/\\[^\sA-Za-z0-9]/g, '')
        expect(words).not.toMatch(/[\\*_~`|<>#@[\]()]/)
        expect(words).not.toContain('://')
      }),
    )
  })

  test('the same alerts always give the same words', () => {
    fc.assert(
      fc.property(lines, (alerts) => {
        expect(email(structuredClone(alerts))).toEqual(email(alerts))
        expect(sms(structuredClone(alerts))).toBe(sms(alerts))
      }),
    )
  })
})
