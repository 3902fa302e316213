/** What a believed answer left out of a group, and what it brought back. */
export interface Absence {
  /** Ids of watched sections the answer did not tell of. */
  missing: readonly number[]
  /** Ids of watched sections it told of. */
  found: readonly number[]
  /** A sentence for staff; null when nothing is missing. */
  why: string | null
}

/** Section numbers such a sentence names at most. */
const mostNamed = 5

/** "The answer does not list 30001, 30002, which are watched."; null when every one is listed. */
export function absenceSentence(keys: readonly string[]): string | null {
  if (keys.length === 0) return null
  const more = keys.length > mostNamed ? ` and ${keys.length - mostNamed} more` : ''
  const verb = keys.length === 1 ? 'is' : 'are'
  return `The answer does not list ${keys.slice(0, mostNamed).join(', ')}${more}, which ${verb} watched.`
}

/**
 * Compares a group's watched sections with a believed answer. Null when all are there and none was missing before, which
 * costs nothing more.
 * @param isTold whether the group's last read left a sentence, and so may have left sections out
 */
export function absenceOf(
  watched: readonly { id: number; section_key: string }[],
  seen: readonly { section_key: string }[],
  isTold: boolean,
): Absence | null {
  const keys = new Set(seen.map(({ section_key }) => section_key))
  const missing = watched.filter(({ section_key }) => !keys.has(section_key))
  if (missing.length === 0 && !isTold) return null
  const found = watched.filter(({ section_key }) => keys.has(section_key))
  return {
    missing: missing.map(({ id }) => id),
    found: found.map(({ id }) => id),
    why: absenceSentence(missing.map(({ section_key }) => section_key)),
  }
}

/**
 * A section the school left out was last observed when its group was last read with it: that moment is kept, however often
 * the group is read without. To run before the group's own row is written. None where nothing was left out or came back.
 */
export function absenceStatements(
  db: D1Database,
  now: number,
  groups: readonly { absence?: Absence | null }[],
): D1PreparedStatement[] {
  const missing = groups.flatMap(({ absence }) => absence?.missing ?? [])
  const found = groups.flatMap(({ absence }) => absence?.found ?? [])
  return [
    ...(missing.length > 0 ? [keepLastSeen(db, now, missing)] : []),
    ...(found.length > 0
      ? [
          db
            .prepare(
              `UPDATE section SET missing_since = NULL
               WHERE id IN (SELECT value FROM json_each(?)) AND missing_since IS NOT NULL`,
            )
            .bind(JSON.stringify(found)),
        ]
      : []),
  ]
}

/** Marks sections (ids) that an answer at `now` left out with the last read that listed them. */
export function keepLastSeen(db: D1Database, now: number, missing: readonly number[]): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE section
       SET missing_since = COALESCE((SELECT g.read_at FROM section_group g WHERE g.id = section.group_id), ?)
       WHERE id IN (SELECT value FROM json_each(?)) AND missing_since IS NULL`,
    )
    .bind(now, JSON.stringify(missing))
}
