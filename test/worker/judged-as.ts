import type { JudgedSection } from '../../src/class-tracker/refresh/compare-sections.ts'
import type { SourceSection } from '../../src/sources/source.ts'
import type { JudgedSeats } from '../../src/class-tracker/polling/openings.ts'

/** A section with the seats that were judged from it, side by side. */
export type FlatSection = SourceSection & JudgedSeats

/** The same as a refresh has it. */
export const judgedAs = (section: FlatSection): JudgedSection => ({ ...section, listed: section })
