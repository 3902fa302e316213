import { appendFileSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { counted } from '../../lib/text.ts'
import {
  asPrinted,
  EXIT,
  orUsageError,
  pauseFor,
  print,
  sectionsTable,
  tableOf,
  timeoutOf,
  UsageError,
} from '../command-line.cli.ts'
import { checkAll, checkListed, type ListedCheck, resultsTable } from './check-all.cli.ts'
import { searchDirectory, type ListedSchool, parseDirectory, systemName, whyNotRead } from './directory.ts'

const PER_MINUTE = 20
const SHOWN_SECTIONS = 3
/** As far as the capacity. */
const SHOWN_COLUMNS = 6

export const directoryUsage = `  npm run source -- list [WORDS]
      lists the schools of the directory whose names contain the words

  npm run source -- check ID... [--json]
      queries schools of the directory for terms, subjects and sections; --json prints one object per line

  npm run source -- check --all --state FILE [--per-minute ${PER_MINUTE}]
      queries every readable school, one request at a time and at most ${PER_MINUTE} per minute for each host;
      FILE stores the results, so that the same command resumes where it was stopped

  --directory FILE   a different directory file
  --timeout SECONDS  longest wait for one answer; default: 30`

/** Whether the words are about the directory rather than about an address. */
export function isAboutDirectory([command, ...words]: readonly string[]): boolean {
  return command === 'list' || (command === 'check' && !words.some((word) => /^--(?:kind|url)(?:=|$)/.test(word)))
}

/** Runs `list`, `check ID…` and `check --all`. Returns the exit code. @throws UsageError */
export async function runDirectory(args: readonly string[]): Promise<number> {
  const { values, positionals } = orUsageError(() => parse(args))
  const [command, ...words] = positionals
  const directory = readDirectory(values.directory)
  const asJson = values.json === true
  if (command === 'list') return list(searchDirectory(directory, words.join(' ')), asJson)
  const timeoutMs = timeoutOf(values.timeout)
  if (values.all !== true && words.length === 0) throw new UsageError('Give school IDs or --url.')
  if (values.all !== true) return checkChosen(chosenOf(directory, words), { asJson, timeoutMs })
  if (words.length > 0) throw new UsageError('--all cannot be combined with IDs.')
  const { state } = values
  if (state === undefined) throw new UsageError('--state is missing: a file that keeps the results.')
  orUsageError(() => appendFileSync(state, ''), '--state: ')
  const perMinute = Number(values['per-minute'] ?? PER_MINUTE)
  if (!(perMinute > 0)) throw new UsageError('--per-minute is a number of requests.')
  const readable = directory.filter((school) => whyNotRead(school) === null)
  const results = await checkAll(readable, { file: state, perMinute, timeoutMs })
  print(resultsTable(results))
  const believed = results.filter((result) => result.believed).length
  print(`${believed} of ${results.length} believed; ${directory.length - readable.length} more cannot be read yet.`)
  return believed === results.length ? EXIT.believed : EXIT.unknown
}

const parse = (args: readonly string[]) =>
  parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      all: { type: 'boolean' },
      'per-minute': { type: 'string' },
      state: { type: 'string' },
      directory: { type: 'string' },
      timeout: { type: 'string' },
      json: { type: 'boolean' },
    },
  })

function readDirectory(file: string | URL = new URL('schools.json', import.meta.url)): ListedSchool[] {
  return orUsageError(() => parseDirectory(readFileSync(file, 'utf8')), 'The directory cannot be read: ')
}

function list(found: readonly ListedSchool[], asJson: boolean): number {
  if (asJson) {
    for (const school of found) print(JSON.stringify({ ...school, why_not_read: whyNotRead(school) }))
    return EXIT.believed
  }
  const rows = found.map((school) => [
    school.id,
    school.name,
    school.state,
    systemName(school),
    whyNotRead(school) === null ? 'yes' : 'not yet',
  ])
  print(tableOf([['ID', 'NAME', 'STATE', 'SYSTEM', 'READ'], ...rows]))
  print(`${counted(found.length, 'school')}, ${rows.filter((row) => row.at(-1) === 'yes').length} can be read.`)
  return EXIT.believed
}

function chosenOf(directory: readonly ListedSchool[], ids: readonly string[]): ListedSchool[] {
  return ids.map((id) => {
    const school = directory.find((listed) => listed.id === id)
    if (!school) throw new UsageError(`No school is listed as "${id}". Find its id with: npm run source -- list WORDS`)
    const why = whyNotRead(school)
    if (why !== null) throw new UsageError(`${id}: ${why}`)
    return school
  })
}

async function checkChosen(
  schools: readonly ListedSchool[],
  { asJson, timeoutMs }: { asJson: boolean; timeoutMs: number },
): Promise<number> {
  const limited = new Map<string, number>()
  let areAllBelieved = true
  for (const school of schools) {
    const check = await checkListed(school, { turn: pauseFor(school.url), timeoutMs, limited })
    areAllBelieved &&= check.why === null
    print(asJson ? asLine(school, check) : asText(school, check))
  }
  return areAllBelieved ? EXIT.believed : EXIT.unknown
}

function asLine({ id }: ListedSchool, check: ListedCheck): string {
  const { why, terms, asked, subjects, sections, warnings, requests } = check
  const term = asked?.term.code ?? null
  return JSON.stringify({
    id,
    believed: why === null,
    why,
    terms,
    term,
    subjects,
    sections: sections.map(asPrinted),
    warnings,
    requests,
  })
}

function asText(school: ListedSchool, check: ListedCheck): string {
  const { why, terms, asked, subjects, subject, sections, warnings, requests } = check
  const understood = [
    `${terms.length} terms`,
    ...(asked ? [`${subjects.length} subjects in ${asked.term.name}`] : []),
    ...(subject ? [`${sections.length} sections of ${subject.name}`] : []),
  ]
  return [
    `${school.name} (${school.state}), ${systemName(school)}`,
    ...(sections.length > 0 ? [sectionsTable(sections.slice(0, SHOWN_SECTIONS), SHOWN_COLUMNS)] : []),
    ...warnings.map((warning) => `Warning: ${warning}`),
    ...(why === null ? [] : [`Unknown: ${why}`]),
    `${understood.join(', ')}; ${requests} requests.`,
    '',
  ].join('\n')
}
