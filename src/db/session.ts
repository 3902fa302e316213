/**
 * Begins a session of the database: each of its statements sees at least what the previous one saw, from the nearest
 * copy. Without replication it reads the primary, as without a session
 * (https://developers.cloudflare.com/d1/best-practices/read-replication/).
 * @param start where its first statement is read: `first-primary` (sees every write), `first-unconstrained` (any copy),
 * or a bookmark (a copy that is at least as new)
 */
export function beginSession(db: D1Database, start: string): D1Database & Pick<D1DatabaseSession, 'getBookmark'> {
  const session = db.withSession(start)
  return {
    prepare: (text) => session.prepare(text),
    batch: (statements) => session.batch(statements),
    getBookmark: () => session.getBookmark(),
    withSession: (from) => db.withSession(from),
    exec: (text) => db.exec(text),
    dump: () => db.dump(),
  }
}
