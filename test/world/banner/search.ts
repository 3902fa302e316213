import { json, type Answer } from '../http.ts'
import type { BannerStyle, Section } from '../schools/types.ts'
import { seatsAvailable } from '../schools/seats.ts'
import { openSection, rowOf, titleOf } from './rows.ts'

/** The server's own limit of `pageMaxSize`; larger values are reduced silently. */
const PAGE_CAP = 500
const PAGE_DEFAULT = 10

/** Filters that narrow a search. A CRN filter is accepted and ignored, so it is not among them. */
const FILTERS = [
  'txt_subject',
  'txt_courseNumber',
  'txt_courseTitle',
  'txt_keywordlike',
  'txt_campus',
  'chk_open_only',
] as const

const COLUMNS = [
  'courseTitle',
  'subjectDescription',
  'courseNumber',
  'sequenceNumber',
  'creditHours',
  'courseReferenceNumber',
  'term',
  'instructor',
  'meetingTime',
  'campus',
  'status',
].map((config) => ({ config, display: config, title: config, width: '5%' }))

function wholeNumber(value: string | null, otherwise: number): number {
  const parsed = Number(value ?? '')
  return value !== null && value !== '' && Number.isInteger(parsed) && parsed >= 0 ? parsed : otherwise
}

function matches(style: BannerStyle, section: Section, criteria: URLSearchParams): boolean {
  const wanted = (name: string): string => (criteria.get(name) ?? '').trim()
  const subjects = wanted('txt_subject')
  if (subjects && !subjects.split(',').includes(section.course.subject.code)) return false
  if (wanted('txt_courseNumber') && section.course.level !== wanted('txt_courseNumber')) return false
  const title = titleOf(section).toLowerCase()
  if (!title.includes(wanted('txt_courseTitle').toLowerCase())) return false
  if (!title.includes(wanted('txt_keywordlike').toLowerCase())) return false
  if (wanted('txt_campus') && !section.campus.startsWith(wanted('txt_campus'))) return false
  return wanted('chk_open_only') !== 'true' || openSection(style, section)
}

/** The filters of a query, without what only pages and sorts. */
export function criteriaOf(query: URLSearchParams): URLSearchParams {
  return new URLSearchParams(FILTERS.flatMap((name) => (query.get(name) ? [[name, query.get(name) ?? '']] : [])))
}

/** A search without a living session: success, no rows, and `data` null instead of a list. */
export function lostSession(style: BannerStyle): Answer {
  return json({
    success: true,
    totalCount: 0,
    data: null,
    pageOffset: 0,
    pageMaxSize: PAGE_DEFAULT,
    sectionsFetchedCount: 0,
    pathMode: style.lostPathMode,
    searchResultsConfigs: null,
    ztcEncodedImage: null,
  })
}

/** One page of a search over the sections of the session's term. */
export function searchPage(
  style: BannerStyle,
  sections: readonly Section[],
  criteria: URLSearchParams,
  page: URLSearchParams,
): Answer {
  const offset = wholeNumber(page.get('pageOffset'), 0)
  const size = Math.min(Math.max(1, wholeNumber(page.get('pageMaxSize'), PAGE_DEFAULT)), PAGE_CAP)
  const unfiltered = [...criteria.keys()].length === 0
  const found = style.needsFilter && unfiltered ? [] : sections.filter((section) => matches(style, section, criteria))
  if (page.get('sortDirection') === 'desc') found.reverse()
  return json({
    success: true,
    totalCount: found.length,
    data: found.slice(offset, offset + size).map((section) => rowOf(style, section)),
    pageOffset: offset,
    pageMaxSize: size,
    sectionsFetchedCount: found.length,
    pathMode: 'search',
    searchResultsConfigs: style.extraKeys ? COLUMNS : null,
    ztcEncodedImage: style.extraKeys
      ? 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg=='
      : 'undefined',
    ...(style.extraKeys
      ? { harborCapacityTotal: sum(found, (s) => s.seats.capacity), harborRemainingTotal: sum(found, seatsAvailable) }
      : {}),
  })
}

function sum(sections: readonly Section[], figure: (section: Section) => number): number {
  return sections.reduce((total, section) => total + figure(section), 0)
}
