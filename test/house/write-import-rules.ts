import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { importRules } from './modules.ts'

/** Writes the import rules into the linter's configuration. */
const file = new URL('../../.oxlintrc.json', import.meta.url)
const configuration: object = JSON.parse(readFileSync(file, 'utf8'))
writeFileSync(file, JSON.stringify({ ...configuration, overrides: importRules() }, null, 2))
execFileSync('oxfmt', ['.oxlintrc.json'], { stdio: 'inherit' })
