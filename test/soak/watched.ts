import { changeSeats, statusOf } from '../world/schools/seats.ts'
import { findSection } from '../world/schools/find.ts'
import type { Section } from '../world/schools/types.ts'
import type { World } from '../world/world.ts'
import { withDatabase } from './state.ts'

/** A full section with one waiting person, who waits for nothing else: every message to the address is about it. */
export interface Watched {
  section: Section
  channel: 'phone' | 'email'
  address: string
  /** When it opened in the world; null while it is full. */
  openedAt: number | null
}

const groupsPerSource = 10

interface Row {
  id: number
  section_key: string
  source: string
  school: string
  term: string
}

/**
 * Lets `count` new recipients wait for one full section each, at every source, in a few groups each. The app must not
 * run.
 */
export function watchSections(stateDir: string, world: World, count: number): Watched[] {
  return withDatabase(stateDir, (database) => {
    const rows = database
      .prepare(
        `WITH grouped AS (
           SELECT section_group.id, dense_rank() OVER (PARTITION BY source_id ORDER BY section_count DESC, section_group.id) AS place
           FROM section_group)
         SELECT section.id, section_key, source.name AS source, school.name AS school, full_term_name AS term
         FROM section JOIN grouped ON grouped.id = section.group_id AND grouped.place <= ${groupsPerSource}
           JOIN school_term ON school_term.id = section.school_term_id JOIN term ON term.id = school_term.term_id
           JOIN school ON school.id = school_term.school_id JOIN source ON source.id = school.source_id
         WHERE section.status IN ('closed', 'waitlisted') AND school_term.is_available
         ORDER BY row_number() OVER (PARTITION BY grouped.id ORDER BY section.id), grouped.id`,
      )
      .all() as unknown as Row[]
    const add = {
      recipient: database.prepare('INSERT INTO recipient (name, created_at) VALUES (?, ?) RETURNING id'),
      contact: database.prepare(
        'INSERT INTO contact (recipient_id, kind, address, address_key, created_at) VALUES (?, ?, ?, ?, ?)',
      ),
      watch: database.prepare('INSERT INTO watch (recipient_id, section_id, created_at) VALUES (?, ?, ?)'),
    }
    const now = Date.now()
    const watched: Watched[] = []
    for (const row of rows) {
      if (watched.length === count) break
      const section = findSection(world.catalog, { ...row, section: row.section_key })
      // One whose room depends on others cannot be opened alone.
      if (!section || section.crossList || section.term.past || statusOf(section) === 'open') continue
      const number = watched.length
      const channel = number % 3 === 2 ? 'email' : 'phone'
      const address = channel === 'phone' ? `+1303${String(2_000_000 + number)}` : `soak${number}@example.com`
      const { id } = add.recipient.get(`Soak ${number}`, now) as { id: number }
      add.contact.run(id, channel, address, address, now)
      add.watch.run(id, row.id, now)
      watched.push({ section, channel, address, openedAt: null })
    }
    return watched
  })
}

/** Opens the section, which then stays open. */
export function open(world: World, watched: Watched): void {
  changeSeats(watched.section, { available: 3, waitlist: 0, status: 'open' })
  world.moved.add(watched.section)
  world.changed()
  watched.openedAt = Date.now()
}

/** How many messages each opened section's recipient got, according to the world. */
export function messagesOf(world: World, watched: readonly Watched[]): Map<Watched, number[]> {
  const received = new Map<string, number[]>()
  const note = (address: string, at: number) => received.set(address, [...(received.get(address) ?? []), at])
  for (const { to, at, direction } of world.messages) if (direction !== 'inbound') note(to, at)
  for (const { to, at } of world.emails) for (const address of to) note(address, at)
  return new Map(watched.map((one) => [one, received.get(one.address) ?? []]))
}

export const opened = (watched: readonly Watched[]) => watched.filter(({ openedAt }) => openedAt !== null)

const counts = (watched: readonly Watched[], world: World) => [...messagesOf(world, watched)]

/** Those that opened without a message. */
export const lostOf = (watched: readonly Watched[], world: World) =>
  counts(opened(watched), world).flatMap(([one, at]) => (at.length === 0 ? [one] : []))

/** Messages beyond each one's first. */
export const twice = (watched: readonly Watched[], world: World) =>
  counts(watched, world).reduce((sum, [, at]) => sum + Math.max(0, at.length - 1), 0)

/** Messages about sections that had not opened yet. */
export const early = (watched: readonly Watched[], world: World) =>
  counts(watched, world).filter(([{ openedAt }, [first]]) => first !== undefined && first < (openedAt ?? Infinity))
    .length

export const progressOf = (watched: readonly Watched[], world: World) =>
  `${opened(watched).length} opened, ${lostOf(watched, world).length} not notified yet, ${twice(watched, world)} notified twice`
