import { readFileSync, writeFileSync } from 'node:fs'
import { unstable_splitSqlQuery } from 'wrangler'
import { inRestorableOrder } from './backup-order.ts'

/* `npm run order-backup -- backup.sql restore.sql` makes a file that an empty database takes from one that D1 exported. */
const [from, to] = process.argv.slice(2)
if (from === undefined || to === undefined) {
  console.error('npm run order-backup -- BACKUP.sql RESTORE.sql')
  process.exitCode = 2
} else {
  try {
    const statements = inRestorableOrder(unstable_splitSqlQuery(readFileSync(from, 'utf8')))
    writeFileSync(to, statements.map((statement) => `${statement};\n`).join(''))
    console.log(`${statements.length} statements were written to ${to}.`)
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${to} was not written.`)
    process.exitCode = 1
  }
}
