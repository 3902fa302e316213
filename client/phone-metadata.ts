import metadata from 'libphonenumber-js/metadata.min'

/** Of each country, and each code of none: a list of facts by their place. */
interface Metadata {
  country_calling_codes: Record<string, string[]>
  countries: Record<string, unknown[]>
  nonGeographic: Record<string, unknown[]>
}

/** The places of those facts that say which numbers are possible. */
const CODE = 0
const DIALED_ABROAD = 1
const PATTERN = 2
const LENGTHS = 3
const TRUNK_PREFIX = 5
const TRUNK_PREFIX_PATTERN = 7
const TRUNK_PREFIX_RULE = 8

/** Numbers without a country code belong to it. */
const HOME = 'US'

/**
 * The data of libphonenumber that we need to decide whether a number is possible and to write it in E.164, a sixth of the whole:
 * no formats and no kinds of numbers, and of the countries that share a code the first, whose lengths are then those of
 * all of them.
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

/** A pattern only tells whether a trunk prefix belongs to the number. */
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
