import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'

/** Answers recorded at real schools, stored outside of the project; '' if not available. */
const folder = fileURLToPath(new URL('../../../shared/sources', import.meta.url))

export interface RecordedEnvelope {
  name: string
  bytes: Uint8Array
  totalCount: number
  rows: Pick<RecordedRow, 'courseReferenceNumber' | 'term' | 'subject' | 'seatsAvailable'>[]
}

interface Envelope {
  totalCount: number
  data: RecordedRow[]
}

function filesOf(system: string, ending: string): { name: string; bytes: Uint8Array }[] {
  if (!existsSync(`${folder}/${system}`)) {
    console.log(`No recorded answers of ${system} at ${folder}: tried against our own data only.`)
    return []
  }
  return readdirSync(`${folder}/${system}`)
    .filter((name) => name.endsWith(ending))
    .map((name) => ({ name, bytes: readFileSync(`${folder}/${system}/${name}`) }))
}

/** Every recorded Banner search; a file may contain several, one per subject. */
export function recordedSearches(): RecordedEnvelope[] {
  return filesOf('banner9', 'searchResults.json').flatMap(({ name, bytes }) => {
    const parsed = JSON.parse(new TextDecoder().decode(bytes)) as Envelope | Record<string, Envelope>
    if (isEnvelope(parsed)) return [{ name, bytes, totalCount: parsed.totalCount, rows: parsed.data }]
    return Object.entries(parsed).map(([subject, { totalCount, data }]) => ({
      name: `${name}, ${subject}`,
      bytes: new TextEncoder().encode(JSON.stringify(parsed[subject])),
      totalCount,
      rows: data,
    }))
  })
}

export interface RecordedRow {
  courseReferenceNumber: string
  term: string
  subject: string
  seatsAvailable: number
  crossListAvailable: number | null
  waitCount: number
  waitAvailable: number
}

/** Every row of a recorded Banner search, including pages of which only some rows were kept, by school. */
export function recordedRows(): Map<string, RecordedRow[]> {
  const files = filesOf('banner9', '.json').filter(({ name }) => name.includes('searchResults'))
  const rows = files.flatMap(({ name, bytes }) => {
    const parsed = JSON.parse(new TextDecoder().decode(bytes)) as Envelope | Record<string, Envelope>
    const envelopes = isEnvelope(parsed) ? [parsed] : Object.values(parsed)
    return envelopes.flatMap(({ data }) => data).map((row) => ({ school: name.slice(0, name.indexOf('_')), row }))
  })
  return new Map(
    [...Map.groupBy(rows, ({ school }) => school)].map(([school, found]) => [school, found.map(({ row }) => row)]),
  )
}

function isEnvelope(parsed: Envelope | Record<string, Envelope>): parsed is Envelope {
  return Array.isArray(parsed['data'])
}

/** Every recorded CUNY list of classes, as text. */
export function recordedResults(): { name: string; html: string }[] {
  return filesOf('cuny_global_search', '.html')
    .map(({ name, bytes }) => ({ name, html: new TextDecoder('iso-8859-1').decode(bytes) }))
    .filter(({ html }) => html.includes('classfound_msg'))
}

/** The recorded pages of one class, with the class and what it shows. */
export function recordedDetails() {
  const known = { section_key: '39314', school: 'Baruch College', term: '2026 Fall Term' }
  const figures = { capacity: 30, waitlist_capacity: 0, enrolled: 15, waitlist_total: 0, available: 15 }
  return filesOf('cuny_global_search', '39314_mth3020_detail.html').map(({ bytes }) => ({
    ...known,
    figures,
    html: new TextDecoder('iso-8859-1').decode(bytes),
  }))
}

/** Recorded Banner enrollment details, with the figures in their original order. */
export function recordedEnrollmentInfo(): { html: string; figures: number[] }[] {
  return filesOf('banner9', 'getEnrollmentInfo.html').map(({ bytes }) => {
    const html = new TextDecoder().decode(bytes)
    return { html, figures: [...html.matchAll(/ltr"> (-?\d+) /g)].map(([, figure]) => Number(figure)) }
  })
}

/** A row of a Colleague list, or the section inside one of a course's. */
export interface RecordedSection {
  Id: string
  TermId: string
  Available: number
  Capacity: number
  Waitlisted: number
  AvailabilityStatus: string | number
  CourseName: string
  Number: string
}

export interface RecordedListing {
  name: string
  bytes: Uint8Array
  page: number
  total: number
  pages: number
  rows: RecordedSection[]
}

interface ListingEnvelope {
  CurrentPageIndex: number
  TotalItems: number
  TotalPages: number
  Sections: RecordedSection[]
}

/** Every page of a recorded Colleague list of sections, by its file; a file may contain all pages of a term. */
export function recordedListings(): RecordedListing[][] {
  const files = [...filesOf('colleague', '.json.gz'), ...filesOf('colleague', '.json')]
  return files
    .filter(({ name }) => name.includes('SectionListing'))
    .map(({ name, bytes }) => {
      const text = new TextDecoder().decode(name.endsWith('.gz') ? gunzipSync(bytes) : bytes)
      const parsed = JSON.parse(text) as ListingEnvelope | ListingEnvelope[]
      return (Array.isArray(parsed) ? parsed : [parsed]).map((envelope) => ({
        name,
        bytes: new TextEncoder().encode(JSON.stringify(envelope)),
        page: envelope.CurrentPageIndex,
        total: envelope.TotalItems,
        pages: envelope.TotalPages,
        rows: envelope.Sections,
      }))
    })
}

/** A recorded Colleague course, and its sections. */
export interface RecordedCourse {
  name: string
  bytes: Uint8Array
  rows: RecordedSection[]
}

/** Every recorded answer to a request for the sections of a Colleague course. */
export function recordedCourses(): RecordedCourse[] {
  return filesOf('colleague', '.json')
    .filter(({ name }) => name.includes('_Sections_'))
    .map((file) => ({ ...file, rows: sectionsOfCourse(file.bytes) }))
}

export function sectionsOfCourse(bytes: Uint8Array): RecordedSection[] {
  const { SectionsRetrieved } = JSON.parse(new TextDecoder().decode(bytes)) as {
    SectionsRetrieved: { TermsAndSections: { Sections: { Section: RecordedSection }[] }[] }
  }
  return SectionsRetrieved.TermsAndSections.flatMap(({ Sections }) => Sections).map(({ Section }) => Section)
}

/** Every recorded page of Banner 8. */
export function recordedBanner8(): { name: string; bytes: Uint8Array }[] {
  return filesOf('banner8', '.html')
}

/** Term, section, heading and the nine figures of every recorded class page of one school, as lines. */
export function recordedSeatTables(): string[] {
  return filesOf('banner8', '.csv').flatMap(({ bytes }) => new TextDecoder().decode(bytes).trim().split('\n').slice(1))
}

/** Every recorded HCX answer, with its text. */
export function recordedHcx(): { name: string; bytes: Uint8Array }[] {
  return filesOf('peoplesoft_hcx', '.json')
}

/** Recorded Colleague answers that list courses instead of sections, and their filters. */
export function recordedCatalogs(): { name: string; bytes: Uint8Array; isFilters: boolean }[] {
  return filesOf('colleague', '.json')
    .filter(({ name }) => /CatalogListing|GetCatalogAdvancedSearch/.test(name))
    .map((file) => ({ ...file, isFilters: file.name.includes('GetCatalogAdvancedSearch') }))
}

/** A row of a CourseLeaf class search, or the details of a section, which have the seats as text. */
export interface RecordedClass {
  crn: string
  code: string
  stat: string
  no: string
  srcdb: string
  seats: string
  allInGroup?: RecordedClass[]
}

/** Every recorded list of a class search. */
export function recordedClasses(): { name: string; bytes: Uint8Array; srcdb: string; results: RecordedClass[] }[] {
  return filesOf('fose', '.json')
    .filter(({ name }) => name.includes('_search_'))
    .map(({ name, bytes }) => {
      const { srcdb, results } = JSON.parse(new TextDecoder().decode(bytes)) as {
        srcdb: string
        results: RecordedClass[]
      }
      return { name, bytes, srcdb, results }
    })
}

/** All recorded details of sections; some were stored without what we do not read. */
export function recordedClassDetails(): { name: string; details: RecordedClass[] }[] {
  return filesOf('fose', 'details.json')
    .concat(filesOf('fose', 'details_trimmed.json'))
    .map(({ name, bytes }) => ({ name, details: JSON.parse(new TextDecoder().decode(bytes)) as RecordedClass[] }))
}

/** A Rutgers course with its sections. */
export interface RecordedRutgersCourse {
  subject: string
  courseNumber: string
  sections: { index: string; number: string; openStatus: boolean }[]
}

/** Every recorded list of Rutgers courses: a term of a campus, and a subject of it. */
export function recordedRutgersCourses(): { name: string; bytes: Uint8Array; courses: RecordedRutgersCourse[] }[] {
  return [...filesOf('rutgers_soc', '.json.gz'), ...filesOf('rutgers_soc', 'subject_198.json')].map((file) => {
    const bytes = file.name.endsWith('.gz') ? gunzipSync(file.bytes) : file.bytes
    return { name: file.name, bytes, courses: JSON.parse(new TextDecoder().decode(bytes)) as RecordedRutgersCourse[] }
  })
}

/** The numbers of that term's open sections, from the list of open sections. */
export function recordedOpenSections(): { name: string; bytes: Uint8Array }[] {
  return filesOf('rutgers_soc', 'NB.json').filter(({ name }) => name.includes('open_indexes'))
}
