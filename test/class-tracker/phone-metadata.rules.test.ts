import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { parsePhoneNumberFromString as parseWith, type MetadataJson } from 'libphonenumber-js/core'
import examples from 'libphonenumber-js/examples.mobile.json'
import { getExampleNumber, parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { expect, test } from 'vitest'

const metadata: MetadataJson = JSON.parse(readFileSync('.build/phone-metadata.json', 'utf8'))
const options = { defaultCountry: 'US', extract: false } as const
const told = (number: ReturnType<typeof parsePhoneNumberFromString>) =>
  number && [number.number, number.ext, number.isPossible()]

function expectSame(text: string): void {
  const here = parseWith(text, options, metadata)
  expect(told(here), text).toEqual(told(parsePhoneNumberFromString(text, options)))
}

test('what the build leaves out of the phone data changes no number', () => {
  for (const country of Object.keys(examples) as (keyof typeof examples)[]) {
    const number = getExampleNumber(country, examples)
    if (number === undefined) continue
    for (const text of [number.number, number.formatInternational(), number.formatNational(), `${number.number}0`])
      expectSame(text)
  }
  const digits = fc.string({ unit: fc.constantFrom(...'+0123456789 ()-.x'), maxLength: 20 })
  fc.assert(fc.property(digits, expectSame), { numRuns: 2000 })
})
