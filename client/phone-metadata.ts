import metadata from 'libphonenumber-js/metadata.min'

/** For each country, and each country code that belongs to no country: a list of facts by position. */
interface Metadata {
  country_calling_codes: Record<string, string[]>
  countries: Record<string, unknown[]>
  nonGeographic: Record<string, unknown[]>
}

/** The positions of the facts that say which numbers are possible. */
const CODE = 0
const DIALED_ABROAD = 1
const PATTERN = 2
const LENGTHS = 3
const TRUNK_PREFIX = 5
const TRUNK_PREFIX_PATTERN = 7
const TRUNK_PREFIX_RULE = 8

/** The country assumed for numbers without a country code. */
const HOME = 'US'

/**
 * The part of libphonenumber's data that is needed to decide whether a number is possible and to write it in E.164, a
 * sixth of the whole: no formats and no kinds of numbers, and only the first of the countries that share a code, with
 * the lengths of all of them.
 */
export function phoneMetadata(): string {
  const { country_calling_codes, countries, nonGeographic, ...others }: Metadata = metadata
  const main = Object.entries(country_calling_codes).map(([code, [country = '']]) => ({ code, country }))
  return JSON.stringify({
    ...others,
    country_calling_codes: Object.fromEntries(main.map(({ code, country }) => [code, [country]])),
    countries: Object.fromEntries(main.map(({ country }) => [country, neededOf(countries[country] ?? [], country)])),
    nonGeographic: Object.fromEntries(
      Object.entries(nonGeographic).map(([code, facts]) => [code, neededOf(facts, code)]),
    ),
  })
}

/** A pattern is only needed to tell whether a trunk prefix belongs to the number. */
function neededOf(facts: readonly unknown[], country: string): unknown[] {
  const isHome = country === HOME
  const hasPrefix = Boolean(facts[TRUNK_PREFIX]) || Boolean(facts[TRUNK_PREFIX_PATTERN])
  const needed = new Set([
    CODE,
    LENGTHS,
    ...(isHome ? [DIALED_ABROAD] : []),
    ...(isHome || hasPrefix ? [PATTERN, TRUNK_PREFIX, TRUNK_PREFIX_PATTERN, TRUNK_PREFIX_RULE] : []),
  ])
  return facts.slice(0, Math.max(...needed) + 1).map((fact, place) => (needed.has(place) ? fact : 0))
}
