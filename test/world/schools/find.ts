import type { Catalog } from './catalog.ts'
import { seatsAvailable, statusOf } from './seats.ts'
import type { Section } from './types.ts'

/** A section as the control surface shows it. */
export interface SectionReport {
  source: string
  school: string
  /** "2026 Fall Term" */
  term: string
  /** The source's query value: Banner's subject code, CUNY's subject key. */
  subject: string
  /** CRN or class number. */
  section: string
  status: string
  available: number
  capacity: number
  /** People waiting. */
  waitlist: number
}

export function reportOf(section: Section): SectionReport {
  return {
    source: section.school.source,
    school: section.school.name,
    term: section.term.name,
    subject: section.course.subject.key,
    section: section.number,
    status: statusOf(section),
    available: seatsAvailable(section),
    capacity: section.seats.capacity,
    waitlist: section.seats.waitCount,
  }
}

/** What the schools' own systems would say now about terms open for registration. */
export function reportSections(catalog: Catalog): SectionReport[] {
  return catalog.sections.filter(({ offered, term }) => offered && !term.past).map(reportOf)
}

/** Those whose given fields are all equal. */
export function narrow<Report extends object>(reports: Report[], filter: ReadonlyMap<string, string>): Report[] {
  const fits = (report: Report): boolean => {
    const values = new Map(Object.entries(report))
    return [...filter].every(([name, wanted]) => String(values.get(name)) === wanted)
  }
  return filter.size === 0 ? reports : reports.filter(fits)
}

/** Identifies one section permanently, whatever its figures are. */
export function keyOf(section: Section): string {
  return [section.school.name, section.term.name, section.number].join('|')
}

/** The section with that name, whether or not it is removed from the school's answers. */
export function findSection(
  catalog: Catalog,
  wanted: { source: string; school: string; term: string; section: string },
): Section | null {
  const school = catalog.schools.find(({ name, source }) => name === wanted.school && source === wanted.source)
  const term = catalog.terms.find(({ name }) => name === wanted.term)
  if (!school || !term) return null
  return catalog.of(school, term).find((section) => section.number === wanted.section) ?? null
}
