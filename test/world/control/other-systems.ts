import { seatsShown, synonymOf } from '../colleague/rows.ts'
import { CAMPUSES, sectionsAt } from '../rutgers/campuses.ts'
import { indexOf } from '../rutgers/courses.ts'
import type { Catalog } from '../schools/catalog.ts'
import { reportOf, type SectionReport } from '../schools/find.ts'
import { statusOf } from '../schools/seats.ts'
import type { Section } from '../schools/types.ts'

type Figures = 'available' | 'capacity' | 'waitlist'
/** A section as another system shows it; null is what it does not show. */
export type OtherReport = Omit<SectionReport, Figures> & Record<Figures, number | null>

interface Row {
  section: Section
  report: OtherReport
}

/** A system beside a school's own, which shows the same classes in its own way: a separate source for the app. */
export interface OtherSystem {
  kind: 'colleague' | 'rutgers'
  /** The source's name. */
  source: string
  path: string
  /** The school whose classes it shows. */
  school: string
  /** What it says about a term's sections. */
  rows(sections: readonly Section[]): Row[]
}

const COLLEAGUE = 'Cedar Valley Self-Service'
const RUTGERS = 'Harbor State Schedule of Classes'

/** The other systems of a new local world. */
export const OTHER_SYSTEMS: readonly OtherSystem[] = [
  {
    kind: 'colleague',
    source: COLLEAGUE,
    path: '/schools/cedar-valley/Student',
    school: 'Cedar Valley Community College',
    rows: (sections) =>
      sections.map((section) => {
        const { Available: available, Capacity: capacity } = seatsShown(section)
        const named = { source: COLLEAGUE, school: COLLEAGUE, section: synonymOf(section) }
        return { section, report: { ...reportOf(section), ...named, available, capacity } }
      }),
  },
  {
    kind: 'rutgers',
    source: RUTGERS,
    path: '/schools/harbor/soc/api',
    school: 'Harbor State University',
    // It has no figures, and what is not open is closed.
    rows: (sections) =>
      CAMPUSES.flatMap(({ code, name }) =>
        sectionsAt(code, sections).map((section) => {
          const status = statusOf(section) === 'open' ? 'open' : 'closed'
          const named = { source: RUTGERS, school: name, section: indexOf(section), status }
          return {
            section,
            report: { ...reportOf(section), ...named, available: null, capacity: null, waitlist: null },
          }
        }),
      ),
  },
]

function rowsOf(catalog: Catalog, system: OtherSystem): Row[] {
  const school = catalog.schools.find(({ name }) => name === system.school)
  if (!school) return []
  const terms = catalog.termsOf(school).filter(({ past }) => !past)
  return terms.flatMap((term) => system.rows(catalog.of(school, term)))
}

/** What the other systems would say now about terms open for registration. */
export function reportElsewhere(catalog: Catalog): OtherReport[] {
  const rows = OTHER_SYSTEMS.flatMap((system) => rowsOf(catalog, system))
  return rows.filter(({ section }) => section.offered).map(({ report }) => report)
}

/**
 * The section that another system shows under these names, or by the school's own number, and how to report it there.
 */
export function findElsewhere(
  catalog: Catalog,
  wanted: Pick<OtherReport, 'source' | 'school' | 'term' | 'section'>,
): { section: Section; report: () => OtherReport } | null {
  const system = OTHER_SYSTEMS.find(({ source }) => source === wanted.source)
  if (!system) return null
  const find = () =>
    rowsOf(catalog, system).find(
      ({ section, report }) =>
        report.school === wanted.school &&
        report.term === wanted.term &&
        [report.section, section.number].includes(wanted.section),
    )
  const found = find()
  return found ? { section: found.section, report: () => find()?.report ?? found.report } : null
}

/** The source requested below this prefix, if it belongs to another system; undefined for a school's own. */
export const sourceAt = (prefix: string): string | undefined =>
  OTHER_SYSTEMS.find(({ path }) => `${path}/`.startsWith(`${prefix}/`))?.source
