import { sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { jsonArguments } from '../../db/json-argument.ts'
import {
  constant,
  type Database,
  into,
  names,
  read,
  type RowOfFields,
  statement,
  type Template,
  template,
  writeTogether,
} from '../../db/query.ts'
import { discordServer, invite, serverWord } from '../../db/schema/index.ts'
import { orWarn } from '../../lib/fallbacks.ts'
import { jsonList, serverFields } from '../servers/server-row.ts'
import { indexedWords, sortKeyOf } from './words.ts'
import { theServer, serverTable } from '../aliases.ts'

/** The texts by which a server is found. */
const textFields = {
  id: theServer.id,
  version: theServer.version,
  name: theServer.name,
  custom_title: theServer.customTitle,
  description: theServer.description,
  notes: jsonList(
    z.string(),
    sql`(SELECT json_group_array(${invite.notesMd}) FROM ${invite}
      WHERE ${invite.serverId} = ${theServer.id} AND ${invite.state} = 'approved' AND ${invite.isValid})`,
  ),
  subjects: serverFields.subjects,
  courses: serverFields.courses,
  instructors: serverFields.instructors,
}

/**
 * The number of the rules by which words are made. Whoever changes them raises it here and in the index of
 * `discord_server`, because the former code may index servers until it is replaced.
 */
const wordsRules = constant(1)

/** A condition: a server's words were made from other texts or by other rules. */
export const isUnindexed = sql`(${theServer.version} <> ${theServer.indexedVersion} OR ${theServer.wordsVersion} <> ${wordsRules})`

/** Updates the search words of some changed servers, or of one if it has changed. @returns how many were updated */
export async function indexServers(db: Database, most: number, serverId: number | null = null): Promise<number> {
  const isChosen = serverId === null ? sql`true` : sql`${theServer.id} = ${serverId}`
  const changed = await read(
    db,
    template(
      textFields,
      (columns) => sql`SELECT ${columns} FROM ${serverTable}
        WHERE ${isUnindexed} AND ${isChosen} LIMIT ${most}`,
    ),
  )
  if (changed.length === 0) return 0
  const rows = changed.map((text) => {
    const { key, words } = indexedOf(text)
    return [text.id, text.version, key, words]
  })
  await writeTogether(
    db,
    jsonArguments(rows).flatMap((argument) => writeWords(argument)),
  )
  return changed.length
}

/** The same right after a change, which is made even if this fails: the next `tidy-directory` job repeats it. */
export const indexNow = (db: Database, most: number, serverId: number | null = null): Promise<number> =>
  orWarn(indexServers(db, most, serverId), { event: 'servers not indexed' }, 0)

/** @param servers JSON list of [id, version, sort key, words] */
function writeWords(servers: string): Template<never>[] {
  const isSame = sql`${theServer.id} = r.value ->> 0 AND ${theServer.version} = r.value ->> 1`
  const { id, version, indexedVersion, wordsVersion, sortKey } = discordServer
  return [
    statement(sql`DELETE FROM ${serverWord} WHERE ${serverWord.serverId} IN (
      SELECT ${theServer.id} FROM json_each(${servers}) r JOIN ${serverTable} ON ${isSame})`),
    statement(sql`INSERT INTO ${into(serverWord, serverWord.word, serverWord.serverId)}
      SELECT w.value, ${theServer.id} FROM json_each(${servers}) r JOIN ${serverTable} ON ${isSame}, json_each(r.value, '$[3]') w`),
    // A server that changed after it was read has another version, and is indexed again later.
    statement(sql`UPDATE ${discordServer} SET ${names(indexedVersion)} = r.version, ${names(wordsVersion)} = ${wordsRules}, ${names(sortKey)} = r.key
      FROM (SELECT value ->> 0 AS id, value ->> 1 AS version, value ->> 2 AS key FROM json_each(${servers})) r
      WHERE ${id} = r.id AND ${version} = r.version`),
  ]
}

function indexedOf(text: RowOfFields<typeof textFields>): { key: string; words: string[] } {
  const { name, custom_title, description, notes, subjects, instructors, courses } = text
  const named = [...subjects, ...instructors].map((one) => one.name)
  const described = courses.flatMap(({ code, level, title }) => [code, level, title])
  return {
    key: sortKeyOf(custom_title || name, courses),
    words: indexedWords([name, custom_title, description, ...notes, ...named, ...described], courses),
  }
}
