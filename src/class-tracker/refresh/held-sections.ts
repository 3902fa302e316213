import { counted } from '../../web/counted.ts'
import type { CataloguedSection } from './compare-sections.ts'

/**
 * Why an answer without any section is not believed of a group, as a sentence; null where none of its sections is known, so
 * that nothing speaks against it. Empty is also what a site in trouble says: a subject that truly lost all its sections
 * stays unknown.
 */
export function whyNotEmpty(known: readonly CataloguedSection[]): string | null {
  const count = known.filter(({ missing_since }) => missing_since === null).length
  return count === 0 ? null : `We know ${counted(count, 'section')} there, and the school says there are none.`
}
