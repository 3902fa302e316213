import { banner8Fixtures } from './banner8/fixtures.ts'
import { banner9Fixtures } from './banner9/fixtures.ts'
import { colleagueFixtures } from './colleague/fixtures.ts'
import { cunyFixtures } from './cuny/fixtures.ts'
import { foseFixtures } from './fose/fixtures.ts'
import { hcxFixtures } from './hcx/fixtures.ts'
import type { KindFixtures } from './kind-fixtures.ts'
import { rutgersFixtures } from './rutgers/fixtures.ts'

/** A handmade school for every kind of source. */
export const KINDS: readonly KindFixtures[] = [
  banner9Fixtures,
  colleagueFixtures,
  cunyFixtures,
  foseFixtures,
  hcxFixtures,
  rutgersFixtures,
  banner8Fixtures,
]
