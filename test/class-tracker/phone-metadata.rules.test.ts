import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { parsePhoneNumberFromString as parseWith, type MetadataJson } from 'libphonenumber-js/core'
import examples from 'libphonenumber-js/examples.mobile.json'
import whole from 'libphonenumber-js/metadata.min'
import { getExampleNumber, parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { expect, test } from 'vitest'

const metadata: MetadataJson = JSON.parse(readFileSync('.build/phone-metadata.json', 'utf8'))
const options = { defaultCountry: 'US', extract: false } as const

/** Where a country that shares another's code has numbers of other lengths, they are treated as the other's. */
const isOfOtherLength = /^\+(?:1310\d{4}|290\d{4,5}|599\d{7,8})$/

function expectSame(text: string): void {
  const here = parseWith(text, options, metadata)
  const there = parsePhoneNumberFromString(text, options)
  const told = (number: typeof there) => number && [number.number, number.ext, number.isPossible()]
  if (isOfOtherLength.test(there?.number ?? '')) expect(here?.number, text).toBe(there?.number)
  else expect(told(here), text).toEqual(told(there))
}

test('leaving out phone data changes no number', () => {
  for (const country of Object.keys(examples) as (keyof typeof examples)[]) {
    const number = getExampleNumber(country, examples)
    if (number === undefined) continue
    for (const text of [number.number, number.formatInternational(), number.formatNational(), `${number.number}0`])
      expectSame(text)
  }
  const digits = fc.string({ unit: fc.constantFrom(...'+0123456789 ()-.x'), maxLength: 20 })
  fc.assert(fc.property(digits, expectSame), { numRuns: 2000 })
})

test('nor any number after any country code or international prefix', () => {
  const code = fc.constantFrom(...Object.keys(whole.country_calling_codes), ...Object.keys(whole.nonGeographic))
  const start = fc.constantFrom('+', '+ ', '011', '00', '')
  const rest = fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 14 })
  fc.assert(
    fc.property(start, code, rest, (before, country, after) => expectSame(`${before}${country}${after}`)),
    { numRuns: 5000 },
  )
})
