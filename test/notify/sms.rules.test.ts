import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { smsKeyword } from '../../src/notify/sms/keywords.ts'
import { countSegments } from '../../src/notify/sms/segments.ts'
import { gsmText } from '../../src/notify/sms/transliterate.ts'
import { isSignedByTwilio } from '../../src/notify/sms/signature.ts'
import { twilioSignature } from './twilio-signature.ts'

const isGsm = (text: string) => countSegments(text).encoding === 'GSM-7'

describe('segments', () => {
  test.each([
    ['nothing', '', 'GSM-7', 0, 1],
    ['160 plain letters', 'a'.repeat(160), 'GSM-7', 160, 1],
    ['161 plain letters', 'a'.repeat(161), 'GSM-7', 161, 2],
    ['306 plain letters', 'a'.repeat(306), 'GSM-7', 306, 2],
    ['307 plain letters', 'a'.repeat(307), 'GSM-7', 307, 3],
    ['459 plain letters', 'a'.repeat(459), 'GSM-7', 459, 3],
    ['460 plain letters', 'a'.repeat(460), 'GSM-7', 460, 4],
    ['80 extension letters', '€'.repeat(80), 'GSM-7', 160, 1],
    ['81 extension letters', '€'.repeat(81), 'GSM-7', 162, 2],
    ['an extension letter on the border of two segments', `${'a'.repeat(152)}[${'a'.repeat(152)}`, 'GSM-7', 306, 3],
    ['70 letters with one outside', `${'a'.repeat(69)}ş`, 'UCS-2', 70, 1],
    ['71 letters with one outside', `${'a'.repeat(70)}ş`, 'UCS-2', 71, 2],
    ['134 letters with one outside', `${'a'.repeat(133)}ş`, 'UCS-2', 134, 2],
    ['135 letters with one outside', `${'a'.repeat(134)}ş`, 'UCS-2', 135, 3],
    ['35 emoji', '🎓'.repeat(35), 'UCS-2', 70, 1],
    ['67 emoji, none split', '🎓'.repeat(67), 'UCS-2', 134, 3],
    ['the whole of Spanish and Greek capitals in the alphabet', 'ÑñÜü¿¡ΔΩ@£$_', 'GSM-7', 12, 1],
    ['a grave accent', '`', 'UCS-2', 1, 1],
  ] as const)('%s', (_what, text, encoding, units, segments) => {
    expect(countSegments(text)).toEqual({ encoding, units, segments })
  })

  test("the alphabet and its extension have the standard's sizes", () => {
    const units = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code))
      .filter(isGsm)
      .map((letter) => countSegments(letter).units)
    expect(units.filter((unit) => unit === 1)).toHaveLength(127)
    expect(units.filter((unit) => unit === 2)).toHaveLength(10)
  })

  test('a longer text never takes fewer segments', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 500 }), fc.string({ unit: 'grapheme' }), (start, end) => {
        expect(countSegments(start + end).segments).toBeGreaterThanOrEqual(countSegments(start).segments)
      }),
    )
  })

  test('typographic marks and accents become plain, and plain text is unchanged', () => {
    expect(gsmText('“A” – it’s… B')).toBe('"A" - it\'s... B')
    expect(gsmText('Şahin, José, Łódź 🎓')).toBe('Sahin, José, Lodz')
    expect(gsmText('Щука, Ъ')).toBe('Shchuka,')
    expect(gsmText('微積分 I')).toBe('')
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(isGsm(gsmText(text))).toBe(true)
        if (isGsm(text)) expect(gsmText(text)).toBe(text.replace(/[\n\r\f ]+/g, ' ').trim())
      }),
    )
  })
})

describe('signature', () => {
  const url = 'https://mycompany.com/myapp.php?foo=1&bar=2'
  const fields: [string, string][] = [
    ['To', '+18005551212'],
    ['Digits', '1234'],
    ['From', '+14158675309'],
    ['Caller', '+14158675309'],
    ['CallSid', 'CA1234567890ABCDE'],
  ]

  test("matches Twilio's own example", async () => {
    expect(await twilioSignature(url, fields, '12345')).toBe('RSOYDt4T1cUTdK1PDd93/VVr8B8=')
    expect(await isSignedByTwilio(url, fields, 'RSOYDt4T1cUTdK1PDd93/VVr8B8=', '12345')).toBe(true)
  })

  test('accepts a parsed form, and counts a repeated value once', async () => {
    const form = new URLSearchParams([
      ['b', '2'],
      ['a', '1'],
      ['b', '2'],
      ['b', '1'],
    ])
    expect(await twilioSignature(url, form, 't')).toBe(
      await twilioSignature(
        url,
        [
          ['a', '1'],
          ['b', '1'],
          ['b', '2'],
        ],
        't',
      ),
    )
  })

  test('fails for any other url, field, token or signature', async () => {
    const good = await twilioSignature(url, fields, '12345')
    const verdicts = await Promise.all([
      isSignedByTwilio(`${url}&x=1`, fields, good, '12345'),
      isSignedByTwilio(url, [...fields, ['Extra', 'x']], good, '12345'),
      isSignedByTwilio(url, fields.slice(1), good, '12345'),
      isSignedByTwilio(url, fields, good, '12346'),
      isSignedByTwilio(url, fields, good, ''),
      isSignedByTwilio(url, fields, '', '12345'),
      isSignedByTwilio(url, fields, 'not base64!', '12345'),
      isSignedByTwilio(url, fields, good.slice(0, -4), '12345'),
    ])
    expect(verdicts).toEqual(Array(8).fill(false))
  })

  test('what is signed is verified, and nothing else', async () => {
    const field = fc.tuple(fc.string({ minLength: 1 }), fc.string({ unit: 'grapheme' }))
    await fc.assert(
      fc.asyncProperty(fc.array(field), fc.string({ minLength: 1 }), fc.nat(), async (form, token, place) => {
        const signature = await twilioSignature(url, form, token)
        expect(await isSignedByTwilio(url, form, signature, token)).toBe(true)
        expect(await isSignedByTwilio(url, form.toReversed(), signature, token)).toBe(true)
        const at = place % 27
        const other = signature[at] === 'A' ? 'B' : 'A'
        const forged = signature.slice(0, at) + other + signature.slice(at + 1)
        expect(await isSignedByTwilio(url, form, forged, token)).toBe(false)
      }),
    )
  })
})

describe('keywords', () => {
  test.each([
    'STOP',
    'stop',
    ' Stop \n',
    'StopAll',
    'stop all',
    'Stop.',
    'UNSUBSCRIBE',
    'cancel',
    'End',
    'quit',
    'REVOKE',
    'opt-out',
    '"STOP"',
    'stop please',
    'Please stop it!',
    'Stop texting me.',
    'unsubscribe me, thank you',
    'Arrêt',
    '\u{FF33}\u{FF34}\u{FF2F}\u{FF30}',
  ])('%j stops', (body) => expect(smsKeyword(body)).toBe('stop'))
  test.each(['START', 'yes', ' Unstop '])('%j opts in', (body) => expect(smsKeyword(body)).toBe('start'))
  test.each(['help', 'INFO'])('%j asks for help', (body) => expect(smsKeyword(body)).toBe('help'))
  test.each([
    '',
    'thanks!',
    'stop at noon',
    'please don’t stop',
    'yes please',
    'start.',
    'unstoppable',
    'text me',
    '🛑',
  ])('%j is no keyword', (body) => expect(smsKeyword(body)).toBeNull())
})
