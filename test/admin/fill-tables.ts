/** Runs a statement and returns its rows. */
export type Ask = (text: string, ...values: unknown[]) => Promise<Record<string, unknown>[]>

/** The text values of the filled rows. */
export interface Texts {
  /** The value of any column; null uses the column's own default. */
  text(table: string, column: string): string | null
  /** Values of specific columns, as `table.column`: kinds and states that other things depend on. */
  known?: Readonly<Record<string, string | number>>
}

const phone = '+12025550199'
/** Values that forms require, and kinds that other things depend on. */
export const validValues = {
  'class_alert.kind': 'opening',
  'contact.kind': 'phone',
  'contact.address': phone,
  'contact.address_key': phone,
  'delivery.channel': 'phone',
  'delivery.state': 'failed',
  'email_address.address': 'filled@example.com',
  'section.status': 'closed',
  'setting.name': 'school_timeout_ms',
  'setting.value': '9000',
  'source.kind': 'banner9',
  'source.is_enabled': 0,
  'source.time_zone': 'America/New_York',
  'source.url': 'https://banner.example.edu/StudentRegistrationSsb/ssb',
  'term.season': 'fall',
  'user.username': 'filled-person',
  'user.email': 'filled@example.com',
}
/** Longer than a phone is wide, with nowhere to break, and in both directions. */
export const difficultText = (table: string, column: string): string =>
  `${table}.${column}${'W'.repeat(column === 'code' || column === 'key' || column === 'level' ? 10 : 60)} مرحبا & <b>`

interface Column {
  name: string
  type: string
  notnull: number
  dflt_value: string | null
  pk: number
}

interface Reference {
  table: string
  from: string
}

/**
 * Hashes, encrypted tokens and everything else that no one may ever read; each contains {@link secretMark} and its own
 * name.
 */
const isSecret = (column: string): boolean => /_hash$|^sealed_|secret|token/.test(column)
export const secretMark = 'never-to-be-shown'

/** Columns that must be JSON, made from a text. */
const json: Readonly<Record<string, (text: string) => unknown>> = {
  'section.instruction_list': (text) => [{ name: text, days_times: text }],
  'source.settings': () => ({}),
  'audit.before': (text) => ({ [text.slice(0, 20)]: text }),
  'audit.after': (text) => ({ [text.slice(0, 20)]: `${text} now` }),
}
/** Timestamps that would disable their row. */
const isEnd = (column: string): boolean =>
  /^(?:archived|missing|canceled|opted_out|paused|revoked|used|quarantined|first_failed)_/.test(column)

/**
 * Adds one row to every table of the database, which refers to the others added by the same call. Columns come from the
 * database itself, so that a new table is filled as well. @returns the row's key, by table
 */
export async function fillTables(ask: Ask, texts: Texts, now: number): Promise<ReadonlyMap<string, number | string>> {
  const keys = new Map<string, number | string>()
  const tables = await ask(
    `SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT GLOB '_cf_*' AND name <> 'd1_migrations'`,
  )
  const sqlOf = new Map(tables.map(({ name, sql }) => [String(name), String(sql)]))
  const fill = async (table: string): Promise<void> => {
    if (keys.has(table)) return
    keys.set(table, 0)
    const columns = (await ask('SELECT * FROM pragma_table_info(?)', table)) as unknown as Column[]
    const references = (await ask('SELECT * FROM pragma_foreign_key_list(?)', table)) as unknown as Reference[]
    for (const reference of references) await fill(reference.table)
    const values = columns.flatMap((column): [string, unknown][] => {
      const parent = references.find(({ from }) => from === column.name)?.table
      const value = parent === undefined ? valueOf(table, column, sqlOf.get(table) ?? '') : keys.get(parent)
      return value === undefined ? [] : [[column.name, value]]
    })
    const names = values.map(([name]) => name).join(', ')
    const marks = values.map(() => '?').join(', ')
    const key = columns.find(({ pk }) => pk === 1)?.name ?? 'rowid'
    const [row] = await ask(
      `INSERT OR REPLACE INTO ${table} (${names}) VALUES (${marks}) RETURNING ${key} AS key`,
      ...values.map(([, value]) => value),
    )
    keys.set(table, row?.['key'] as number | string)
  }
  const valueOf = (table: string, { name, type, notnull, dflt_value, pk }: Column, sql: string): unknown => {
    const path = `${table}.${name}`
    const known = texts.known?.[path]
    if (known !== undefined) return known
    if (type.toLowerCase() !== 'text') {
      if (pk > 0 && name === 'id') return undefined
      if (/_at$|_until$|_since$/.test(name)) return isEnd(name) && !notnull ? undefined : now
      if (name === 'year') return 2031
      return dflt_value === null && notnull ? 1 : undefined
    }
    if (isSecret(name)) return `${secretMark}-${path}`
    const checked = new RegExp(`\\b${name} IN \\('([^']*)'`).exec(sql)?.[1]
    if (checked !== undefined) return checked
    const text = texts.text(table, name)
    if (text === null) return notnull ? `${table} ${name}` : undefined
    return json[path] ? JSON.stringify(json[path](text)) : text
  }
  for (const table of sqlOf.keys()) await fill(table)
  return keys
}
