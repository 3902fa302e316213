import { sql } from 'drizzle-orm'
import { query, writeTogether, refusalIn, refuseUnless } from '../../db/query.ts'
import { source } from '../../db/schema/index.ts'
import { type ListedSchool, whyNotRead } from '../../sources/schools/directory.ts'
import { auditEntry } from '../../web/audit.ts'
import { Refusal, unprocessable } from '../../web/refusal.ts'
import { limitsOfHost } from '../polling/source-health.ts'
import { refreshNewSource } from '../refresh/schedule-refresh.ts'
import { refuseUnlessSuperuser, type TrackerActor } from '../tracker-actor.ts'
import { findSourceOf, sourceNameOf } from './listed-schools.ts'

/**
 * Adds the source of a listed school and starts reading it.
 * @throws forbidden; unprocessable when the school cannot be read yet; conflict when it or the source's name is already there
 */
export async function addListedSchool(
  env: Env,
  by: TrackerActor,
  listed: ListedSchool,
  now: number,
): Promise<{ id: number; name: string }> {
  refuseUnlessSuperuser(by)
  const why = whyNotRead(listed)
  if (why !== null) throw unprocessable(`${listed.name} was not added. ${why}`)
  const present = await findSourceOf(env.DB, listed)
  if (present) throw conflictWith(`${listed.name} is already added.`, present.id)
  const name = sourceNameOf(listed)
  const { kind, url, time_zone: timeZone } = listed
  const settings = JSON.stringify(listed.settings)
  const after = { name, kind, url, time_zone: timeZone, settings }
  const entry = { act: 'added', area: 'class_tracker', table: 'source', key: '', title: name, after }
  const id = await writeSource(env.DB, [
    refuseUnless(
      sql`NOT EXISTS (SELECT 1 FROM ${source} WHERE ${source.name} = ${name})`,
      `Another source is already called ${name}. Rename that one first.`,
    ),
    query
      .insert(source)
      .values({ name, kind, url, timeZone, settings, createdAt: now, ...limitsOfHost(url) })
      .returning({ id: source.id }),
    auditEntry(by.audit, { ...entry, addedKey: sql`last_insert_rowid()` }, now),
  ])
  await refreshNewSource(env, id, by.audit.who)
  return { id, name }
}

/** Runs the batch and returns the id of the added source. @throws conflict when the database refused it */
async function writeSource(db: D1Database, statements: Parameters<typeof writeTogether>[1]): Promise<number> {
  try {
    const [, added] = await writeTogether(db, statements)
    return added?.last_row_id ?? 0
  } catch (error) {
    const sentence = refusalIn(error)
    throw sentence === null ? error : conflictWith(sentence, null)
  }
}

/** A 409 with a link to the conflicting source. */
function conflictWith(sentence: string, sourceId: number | null): Refusal {
  const nextStep =
    sourceId === null
      ? { href: '/admin/sources/', text: 'See the sources' }
      : { href: `/admin/sources/${sourceId}/`, text: 'See its source' }
  return new Refusal(409, [sentence], { nextStep })
}
