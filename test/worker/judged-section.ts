import type { JudgedSeats } from '../../src/class-tracker/polling/openings.ts'
import {
  compareSections,
  type GroupRead,
  type JudgedSection,
} from '../../src/class-tracker/refresh/compare-sections.ts'
import { writeSections } from '../../src/class-tracker/refresh/write-sections.ts'
import type { SourceSection } from '../../src/sources/source.ts'

/** A section with the seats that were judged from it, side by side. */
export type FlatSection = SourceSection & JudgedSeats

/** The same as a refresh has it. */
export const alreadyJudged = (section: FlatSection): JudgedSection => ({ ...section, listed: section })

/** Writes what a refresh of a school's term read. */
export const writeReads = (db: D1Database, school_term_id: number, now: number, reads: readonly GroupRead[]) =>
  writeSections(
    db,
    { poll_id: crypto.randomUUID(), now, school_term_id, statements: [] },
    reads,
    compareSections(reads),
  )
