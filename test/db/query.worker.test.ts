import { env } from 'cloudflare:workers'
import { asc, eq, sql } from 'drizzle-orm'
import { alias, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { beforeEach, describe, expect, expectTypeOf, test } from 'vitest'
import {
  excluded,
  into,
  prepared,
  names,
  orNull,
  query,
  read,
  readFirst,
  readTogether,
  statement,
  template,
  compiledText,
  write,
  writeThenRead,
  writeTogether,
  refusalIn,
  refuseUnless,
  pageOffset,
} from '../../src/db/query.ts'
import { contact, recipient } from '../../src/db/schema/index.ts'

const r = alias(recipient, 'r')
const c = alias(contact, 'c')

beforeEach(async () => {
  await env.DB.batch([
    env.DB.prepare('DELETE FROM contact'),
    env.DB.prepare('DELETE FROM recipient'),
    env.DB.prepare(`INSERT INTO recipient (id, name, created_at) VALUES (1, 'Ada', 10), (2, 'Ben', 20)`),
  ])
})

describe('a query', () => {
  const all = query.select({ id: recipient.id, called: recipient.name }).from(recipient).orderBy(asc(recipient.id))

  test('returns rows under the keys it names', async () => {
    const rows = await read(env.DB, all)
    expectTypeOf(rows).toEqualTypeOf<{ id: number; called: string }[]>()
    expect(rows).toEqual([
      { id: 1, called: 'Ada' },
      { id: 2, called: 'Ben' },
    ])
    expect(await readFirst(env.DB, all)).toEqual({ id: 1, called: 'Ada' })
    expect(await readFirst(env.DB, query.select().from(contact))).toBeNull()
  })

  test('keeps two columns with the same name apart', async () => {
    const pairs = query
      .select({ first_id: r.id, second_id: recipient.id, first: r.name, second: recipient.name })
      .from(r)
      .innerJoin(recipient, sql`${recipient.id} > ${r.id}`)
    expect(await read(env.DB, pairs)).toEqual([{ first_id: 1, second_id: 2, first: 'Ada', second: 'Ben' }])
  })

  test('keeps the table of a column in a subquery', async () => {
    const later = sql<number>`(SELECT count(*) FROM ${recipient} ${r} WHERE ${r.id} > ${recipient.id})`
    const [rows, written] = await writeTogether(env.DB, [
      query.select({ id: recipient.id, later }).from(recipient).orderBy(asc(recipient.id)),
      query.update(recipient).set({ name: 'Cleo' }).where(eq(recipient.id, 2)).returning({ id: recipient.id, later }),
    ])
    expect(rows.rows.map(({ later: count }) => count)).toEqual([1, 0])
    expect(written.rows).toEqual([{ id: 2, later: 0 }])
  })

  test('with two fields of the same name is rejected before it runs', async () => {
    const nested = query.select().from(r).innerJoin(recipient, eq(recipient.id, r.id))
    await expect(read(env.DB, nested)).rejects.toThrow('Two fields are called id')
  })

  test('with an unknown column is a type error', () => {
    // @ts-expect-error no such column
    expect(() => compiledText(query.select({ id: recipient.nickname }).from(recipient))).toThrow()
  })

  test('has null if a left join found nothing', async () => {
    const joined = query
      .select({ id: recipient.id, address: contact.address })
      .from(recipient)
      .leftJoin(contact, eq(contact.recipientId, recipient.id))
    const rows = await read(env.DB, joined)
    expectTypeOf(rows).toEqualTypeOf<{ id: number; address: string | null }[]>()
    expect(rows.map(({ address }) => address)).toEqual([null, null])
  })

  test('that is kept is built once and takes its values later', async () => {
    let built = 0
    const named = prepared(() => {
      built += 1
      return query
        .select({ name: recipient.name })
        .from(recipient)
        .where(eq(recipient.id, sql.placeholder('id')))
    })
    expect(await read(env.DB, named({ id: 1 }))).toEqual([{ name: 'Ada' }])
    expect(await readTogether(env.DB, named({ id: 2 }), named({ id: 3 }))).toEqual([[{ name: 'Ben' }], []])
    expect(built).toBe(1)
  })
})

describe('a template', () => {
  test('keeps two columns with the same name apart', async () => {
    const pairs = template(
      { first_id: r.id, second_id: recipient.id },
      (columns) => sql`SELECT ${columns} FROM ${recipient} ${r} JOIN ${recipient} ON ${recipient.id} > ${r.id}`,
    )
    expect(await read(env.DB, pairs)).toEqual([{ first_id: 1, second_id: 2 }])
  })

  test('returns rows with the types of its fields', async () => {
    const found = template(
      { id: r.id, called: r.name, is_known: sql<boolean>`1`.mapWith(Boolean), address: orNull(c.address) },
      (columns) =>
        sql`SELECT ${columns} FROM ${recipient} ${r} LEFT JOIN ${contact} ${c} ON ${c.recipientId} = ${r.id} WHERE ${r.id} = ${2}`,
    )
    const rows = await read(env.DB, found)
    expectTypeOf(rows).toEqualTypeOf<{ id: number; called: string; is_known: boolean; address: string | null }[]>()
    expect(rows).toEqual([{ id: 2, called: 'Ben', is_known: true, address: null }])
  })

  test('reads values in the order of its fields unless it names them', async () => {
    const unnamed = template(
      { id: r.id, is_known: sql<boolean>`1`.mapWith(Boolean) },
      () => sql`SELECT ${r.id}, ${r.id} > 1 AS late FROM ${recipient} ${r} ORDER BY ${r.id}`,
    )
    expect(await read(env.DB, unnamed)).toEqual([
      { id: 1, is_known: false },
      { id: 2, is_known: true },
    ])
  })

  test('writes with names from the schema, several at once', async () => {
    const [added, renamed] = await writeTogether(env.DB, [
      statement(sql`INSERT INTO ${into(recipient, recipient.name, recipient.createdAt)}
        SELECT value ->> 0, ${5} FROM json_each(${JSON.stringify([['Cid'], ['Dot']])})`),
      statement(sql`UPDATE ${recipient} SET ${names(recipient.createdAt)} = ${9} WHERE ${recipient.id} = ${1}`),
    ])
    expect([added.changes, renamed.changes]).toEqual([2, 1])
    expect(await readTogether(env.DB, query.select({ count: sql<number>`count(*)` }).from(recipient))).toEqual([
      [{ count: 4 }],
    ])
  })
})

describe('writing', () => {
  test('returns what was changed', async () => {
    const written = await write(
      env.DB,
      query.insert(recipient).values({ name: 'Eve', createdAt: 1, isContactByPhone: false }).returning({
        key: recipient.id,
        called: recipient.name,
        texts: recipient.isContactByPhone,
        until: recipient.pausedUntil,
      }),
    )
    expect(written.changes).toBe(1)
    expect(written.rows).toEqual([{ key: written.last_row_id, called: 'Eve', texts: false, until: null }])
  })

  test('may be followed by queries, which see what was written', async () => {
    const rename = query.update(recipient).set({ name: 'Zoe' }).where(eq(recipient.id, 1))
    const ofId = (id: number) => query.select({ name: recipient.name }).from(recipient).where(eq(recipient.id, id))
    expect(await writeThenRead(env.DB, [rename], ofId(1), ofId(2))).toEqual([[{ name: 'Zoe' }], [{ name: 'Ben' }]])
  })

  test('may replace a row by one that was not inserted', async () => {
    const keep = (name: string) =>
      statement(sql`INSERT INTO ${into(recipient, recipient.id, recipient.name, recipient.createdAt)} VALUES (2, ${name}, 30)
        ON CONFLICT (${names(recipient.id)}) DO UPDATE SET ${names(recipient.name)} = ${excluded(recipient.name)}`)
    await write(env.DB, keep('Bob'))
    const rows = await read(env.DB, query.select().from(recipient).where(eq(recipient.id, 2)))
    expect(rows).toMatchObject([{ name: 'Bob', createdAt: 20 }])
  })

  test('is atomic', async () => {
    const same = query.insert(recipient).values({ id: 7, name: 'Eve', createdAt: 1 })
    await expect(writeTogether(env.DB, [same, same])).rejects.toThrow('UNIQUE')
    expect(await read(env.DB, query.select().from(recipient).where(eq(recipient.id, 7)))).toEqual([])
  })

  test('without statements makes no round trip', async () => {
    const database = { prepare: () => expect.unreachable(), batch: () => expect.unreachable() }
    expect(await writeTogether(database, [])).toEqual([])
  })
})

describe('a refusal', () => {
  test('undoes its whole batch and says why', async () => {
    const rename = query.update(recipient).set({ name: 'Zoe' }).where(eq(recipient.id, 1))
    const refused = refuseUnless(
      sql`NOT EXISTS (SELECT 1 FROM ${recipient} WHERE ${recipient.id} = ${2})`,
      'Ben’s here.',
    )
    const error: unknown = await writeTogether(env.DB, [rename, refused]).catch((thrown: unknown) => thrown)
    expect(refusalIn(error)).toBe('Ben’s here.')
    expect(await readFirst(env.DB, query.select({ name: recipient.name }).from(recipient))).toEqual({ name: 'Ada' })
    await writeTogether(env.DB, [rename, refuseUnless(sql`1`, 'Never.')])
    expect(await readFirst(env.DB, query.select({ name: recipient.name }).from(recipient))).toEqual({ name: 'Zoe' })
  })
})

test('a page past the end is the last one', async () => {
  const page = (asked: number) =>
    template(
      { id: recipient.id },
      (columns) => sql`SELECT ${columns} FROM ${recipient} ORDER BY ${recipient.id} LIMIT 1
        OFFSET ${pageOffset(1, asked, sql`(SELECT count(*) FROM ${recipient})`)}`,
    )
  expect(await readTogether(env.DB, page(1), page(2), page(9))).toEqual([[{ id: 1 }], [{ id: 2 }], [{ id: 2 }]])
})

test('two tables of one name, of two databases, each have their own columns', () => {
  const one = sqliteTable('twin', { onlyHere: text() })
  const other = sqliteTable('twin', { onlyThere: integer() })
  expect(compiledText(query.select().from(one)).text).toContain('"only_here"')
  expect(compiledText(query.select().from(other)).text).toContain('"only_there"')
})
