import { banner8 } from './banner8/banner8.ts'
import { banner9 } from './banner9/banner9.ts'
import { colleague } from './colleague/colleague.ts'
import { cuny } from './cuny/cuny.ts'
import { fose } from './fose/fose.ts'
import { hcx } from './hcx/hcx.ts'
import { rutgers } from './rutgers/rutgers.ts'
import type { Source } from './source.ts'

/** Every protocol we speak, by its kind. */
export const sources: ReadonlyMap<string, Source> = new Map(
  [banner9, cuny, colleague, fose, hcx, rutgers, banner8].map((source) => [source.kind, source]),
)
