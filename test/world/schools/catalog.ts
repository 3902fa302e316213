import { generateSections, type CatalogSize } from './generate.ts'
import { SCHOOLS } from './roster.ts'
import { termsAt } from './terms.ts'
import type { School, Section, Subject, Term } from './types.ts'

/** Everything the simulated schools publish. */
export interface Catalog {
  schools: readonly School[]
  /** Terms of the app's horizon (current, next) and the one just over, oldest first. */
  terms: readonly Term[]
  sections: readonly Section[]
  /** Sections of one school in one term; empty if it does not list that term. */
  of(school: School, term: Term): readonly Section[]
  /** The terms a school lists, newest first. */
  termsOf(school: School): readonly Term[]
}

/** Builds the catalog for `now` (ms since epoch). The same seed, size and terms always make the same one. */
export function makeCatalog(seed: string, now: number, size?: CatalogSize): Catalog {
  const { past, current, next } = termsAt(now)
  const groups = new Map<School, Map<string, Section[]>>()
  for (const school of SCHOOLS) {
    const terms = [...(school.banner?.hasPastTerm ? [past] : []), current, next]
    groups.set(
      school,
      new Map(terms.map((term) => [term.name, generateSections(seed, school, term, term === current, size)])),
    )
  }
  const terms = [past, current, next]
  return {
    schools: SCHOOLS,
    terms,
    sections: [...groups.values()].flatMap((byTerm) => [...byTerm.values()].flat()),
    of: (school, term) => groups.get(school)?.get(term.name) ?? [],
    termsOf: (school) => terms.filter((term) => groups.get(school)?.has(term.name)).toReversed(),
  }
}

/** The distinct subjects of sections, by name. */
export function subjectsAmong(sections: readonly Section[]): Subject[] {
  const byKey = new Map(sections.map((section) => [section.course.subject.key, section.course.subject]))
  return [...byKey.values()].toSorted((a, b) => a.name.localeCompare(b.name))
}
