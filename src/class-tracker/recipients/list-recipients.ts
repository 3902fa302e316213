import { type SQL, sql } from 'drizzle-orm'
import { constant, pageOffset, parameter, prepared, query, read, readTogether } from '../../db/query.ts'
import { MAX_ROWS } from '../../../client/islands/class-tracker/recipients.ts'
import { searchWords } from '../../db/search-words.ts'
import { recipient } from '../../db/schema/index.ts'
import { pausedQueues } from '../../jobs/paused-queues.ts'
import { isoOrNull } from '../../lib/time.ts'
import { typedSearch } from '../../lib/text.ts'
import { notFound } from '../../web/refusal.ts'
import { paginate } from '../../web/pagination.ts'
import type { WatchedSection } from '../watches/contract.ts'
import type { AddClassesProps, ListedRecipient, Recipient, WatchFilters } from './contract.ts'
import { findSchools, findTerms } from '../courses/schools.ts'
import { pausedQueuesOf, problemsOf } from '../courses/tracker-problems.ts'
import { findUnreadSources, unreadSourcesOf } from '../courses/unread-sections.ts'
import { historyStart } from '../watches/watched-section.ts'
import {
  countWatchedSections,
  findContacts,
  findRecipients,
  findWatchedHistories,
  findWatchedSections,
  MAX_WATCHED,
  recipientsOf,
  SECTIONS_SHOWN,
} from './recipient-rows.ts'
import {
  filterRecipients,
  pageFilters,
  RECIPIENTS_PER_PAGE,
  searchFilteredRecipients,
  searchRecipients,
} from './search-recipients.ts'

const countRecipients = prepared(() => query.select({ total: sql<number>`count(*)` }).from(recipient))

/** A page of ids, or the last page if it is past the end: the size of the list is known only inside the statement. */
const pageOfIds = sql`SELECT ${recipient.id} FROM ${recipient} ORDER BY ${recipient.id} DESC LIMIT ${constant(RECIPIENTS_PER_PAGE)}
  OFFSET ${pageOffset(RECIPIENTS_PER_PAGE, parameter('page'), sql`(SELECT count(*) FROM ${recipient})`)}`

/** The queries for some recipients. @param ids a SELECT of their ids */
const queriesFor = (ids: SQL, filters?: typeof pageFilters) => ({
  recipients: prepared(() => findRecipients(ids)),
  contacts: prepared(() => findContacts(ids)),
  sections: prepared(() => findWatchedSections(ids, SECTIONS_SHOWN, filters)),
  histories: prepared(() =>
    findWatchedHistories(ids, { most: SECTIONS_SHOWN, drawn: MAX_ROWS }, parameter('since'), filters),
  ),
  counts: prepared(() => countWatchedSections(ids, parameter('now'), filters)),
})
const foundIds = sql`SELECT value FROM json_each(${parameter('ids')})`
const ofPage = queriesFor(pageOfIds)
const ofFound = queriesFor(foundIds)
const ofFiltered = queriesFor(foundIds, pageFilters)

interface Asked {
  page: number
  /** As typed; it is shortened and cleaned. */
  search: string
  filters?: WatchFilters
}

/** The query that finds a page; null if the page is one of all recipients. */
function searchFor(hasWords: boolean, isFiltered: boolean) {
  if (hasWords) return isFiltered ? searchFilteredRecipients : searchRecipients
  return isFiltered ? filterRecipients : null
}

const noFilters: WatchFilters = { status: null, school_id: null, term_id: null }

/** In one round trip, or two with a search or filters. A school or term that does not exist is not filtered by. */
export async function listRecipients(env: Env, asked: Asked, now: number): Promise<AddClassesProps> {
  const { page, filters = noFilters } = asked
  const q = typedSearch(asked.search)
  const words = searchWords(q)
  const pauses = pausedQueues(env, ['polls', 'alerts'])
  const isFiltered = Object.values(filters).some((value) => value !== null)
  const searched = { words: JSON.stringify(words), count: words.length, page }
  const search = searchFor(words.length > 0, isFiltered)
  const found = search && (await read(env.DB, search({ ...searched, ...filters, now })))
  const [find, ids] = found
    ? [isFiltered ? ofFiltered : ofFound, { ids: JSON.stringify(found.map(({ id }) => id)), ...filters, now }]
    : [ofPage, { page, now }]
  const [[size], unread, terms, schools, [watched], ...lists] = await readTogether(
    env.DB,
    countRecipients(),
    findUnreadSources({ now }),
    findTerms(),
    findSchools(),
    find.counts(ids),
    find.recipients(ids),
    find.contacts(ids),
    find.sections(ids),
    find.histories({ ...ids, since: historyStart(now) }),
  )
  const known = {
    ...filters,
    school_id: schools.find(({ id }) => id === filters.school_id)?.id ?? null,
    term_id: terms.find(({ id }) => id === filters.term_id)?.id ?? null,
  }
  if (known.school_id !== filters.school_id || known.term_id !== filters.term_id) {
    return listRecipients(env, { ...asked, filters: known }, now)
  }
  const all = size?.total ?? 0
  const pagination = paginate({ page, size: RECIPIENTS_PER_PAGE, total: found ? (found[0]?.total ?? 0) : all })
  return {
    recipients: withSectionsOnce(recipientsOf(lists, now)),
    ...(all > 0 &&
      watched && {
        totals: { recipients: all, ...watched, observed_at: isoOrNull(watched.observed_at) },
      }),
    ...(q !== '' && { q }),
    ...(isFiltered && { filters }),
    pagination,
    terms,
    schools,
    ...problemsOf({ paused_queues: pausedQueuesOf(await pauses), unread_sources: unreadSourcesOf(unread) }),
  }
}

/** The same recipients, each section in full only where it comes first. */
function withSectionsOnce(recipients: readonly Recipient[]): ListedRecipient[] {
  const given = new Set<number>()
  return recipients.map((one) => ({
    ...one,
    watched_sections: one.watched_sections.map((section) => {
      if (given.has(section.id)) return { id: section.id }
      given.add(section.id)
      return section
    }),
  }))
}

/** All watched sections of one recipient, open ones first. @throws notFound for an unknown recipient */
export async function listWatchedSections(db: D1Database, recipientId: number, now: number): Promise<WatchedSection[]> {
  const id = sql`${recipientId}`
  const lists = await readTogether(
    db,
    findRecipients(id),
    findContacts(id),
    findWatchedSections(id, MAX_WATCHED),
    findWatchedHistories(id, { most: MAX_WATCHED, drawn: MAX_WATCHED }, historyStart(now)),
  )
  const [found] = recipientsOf(lists, now)
  if (!found) throw notFound(`Recipient id ${recipientId} not found`)
  return found.watched_sections
}
