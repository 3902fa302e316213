import { DatabaseSync } from 'node:sqlite'

interface Migration {
  name: string
  queries: readonly string[]
}

const listOfMigrations = `CREATE TABLE d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`

/**
 * A script of what all migrations together make of an empty database: its tables and rows, without the steps between. A
 * database runs it in half the time that it takes for a batch of the single statements.
 */
export function schemaOf(migrations: readonly Migration[]): string {
  const db = new DatabaseSync(':memory:')
  db.exec(listOfMigrations)
  for (const { name, queries } of migrations) {
    for (const query of queries) db.exec(query)
    db.prepare('INSERT INTO d1_migrations (name) VALUES (?)').run(name)
  }
  const column = (sql: string): string[] =>
    db
      .prepare(sql)
      .all()
      .flatMap((row) => Object.values(row).map(String))
  const made = (types: string): string[] =>
    column(`SELECT sql FROM sqlite_master WHERE type IN (${types}) AND sql IS NOT NULL AND name NOT LIKE 'sqlite@_%' ESCAPE '@'
      ORDER BY rowid`)
  const tables = column(`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite@_%' ESCAPE '@'`)
  const rows = tables.flatMap((table) => {
    const names = column(`SELECT name FROM pragma_table_info('${table}')`).map((name) => `"${name}"`)
    const values = names.map((name) => `quote(${name})`).join(` || ', ' || `)
    return column(`SELECT 'INSERT INTO "${table}" (${names.join(', ')}) VALUES (' || ${values} || ')' FROM "${table}"`)
  })
  // A trigger would change the rows again.
  const statements = [...made(`'table', 'index'`), ...rows, ...made(`'trigger', 'view'`)]
  db.close()
  return statements.join(';\n')
}
