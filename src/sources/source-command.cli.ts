import { parseArgs } from 'node:util'
import { known, unknown } from './answer.ts'
import { checkSchool, checkSubject, emptyCheck, unclearOf } from './check.ts'
import {
  asPrinted,
  EXIT,
  openFromHere,
  orUsageError,
  pauseFor,
  print,
  printError,
  sectionsTable,
  timeoutOf,
  UsageError,
} from './command-line.cli.ts'
import { detectSource, refuseTyped } from './detect.ts'
import { directoryUsage, isAboutDirectory, runDirectory } from './schools/directory.cli.ts'
import {
  type Answer,
  type GroupSections,
  hasSchools,
  type Source,
  type SourceAddress,
  type SourceSubject,
  type SourceTerm,
} from './source.ts'
import { sources } from './sources.ts'

/** Starts another line in the description of an option. */
const NEXT_LINE = `\n${' '.repeat(21)}`

const usage = `Queries schools' systems and prints the parsed answers.

${directoryUsage}

  npm run source -- check --url URL [--kind KIND] [--term TERM] [--subject SUBJECT] [options]
      queries a system by its address for one subject; default: the first term and subject it offers

  --kind KIND        default: detected; ${[...sources.values()].map(({ kind, label }) => `${kind} (${label})`).join(' or ')}
  --url URL          ${[...sources.values()].map(({ kind, address }) => `${kind}: ${address.help}`).join(NEXT_LINE)}
  --term TERM        the system's own code, such as 202610, 1269 or 2026FA
  --subject SUBJECT  the subject's key, such as CS or CMSC
  --school SCHOOL    cuny: the college's code, such as QNS01; rutgers: the campus's, such as NB;${NEXT_LINE}hcx: the same as --set institution=SCHOOL
  --career CAREER    cuny: UGRD, GRAD …; default: all of them with --term and --subject, otherwise the first
  --set NAME=VALUE   an extra setting, any number of times${settingsHelp()}
  --timeout SECONDS  longest wait for one answer; default: 30
  --json             prints only one JSON object on standard output

Exits with 0 if the answer is believed, 3 if it is unknown (with the reason), 2 for wrong usage.`

function settingsHelp(): string {
  const lines = [...sources.values()].flatMap(({ kind, settings }) =>
    settings.map(({ name, meaning }) => `${NEXT_LINE}${kind}: ${name}. ${meaning}`),
  )
  return lines.join('')
}

interface Wanted {
  source: Source
  url: string
  settings: Record<string, string>
  term: string | undefined
  subject: string | undefined
  school: string
  career: string | null
  timeoutMs: number
  asJson: boolean
}

async function readArguments(args: readonly string[]): Promise<Wanted> {
  const { values, positionals } = orUsageError(() => parse(args))
  const [command, ...words] = positionals
  if (command !== 'check') throw new UsageError('The commands are "list" and "check".')
  if (words.length > 0) throw new UsageError('An id and --kind or --url cannot be combined.')
  const timeoutMs = timeoutOf(values.timeout)
  if (values.url === undefined || values.url === '') throw new UsageError('--url is missing.')
  const { source, url } = await kindAndAddress(values.kind, values.url, timeoutMs)
  const refusal = source.checkAddress(url)
  if (refusal !== null) throw new UsageError(`--url ${url}: ${refusal}`)
  const settings = readSettings(source, values.set ?? [])
  const school = readSchool(source, values.school ?? '', settings)
  if (!source.scopes.includes('career') && values.career !== undefined)
    throw new UsageError(`--career: ${source.label} has none.`)
  return {
    source,
    url,
    settings,
    term: values.term,
    subject: values.subject,
    school,
    career: values.career ?? null,
    timeoutMs,
    asJson: values.json === true,
  }
}

/** The given kind, or the one detected at the address. */
async function kindAndAddress(kind: string | undefined, typed: string, timeoutMs: number) {
  if (kind === undefined) {
    const refusal = refuseTyped(typed)
    if (refusal !== null) throw new UsageError(`--url ${typed}: ${refusal}`)
    const { found, asked } = await detectSource(typed, (one, address) => open(one, address, timeoutMs).lane)
    if (found) return found
    const tried = asked.map(({ source, url, why }) => `  ${source.kind} at ${url}: ${why}`)
    throw new UsageError(
      [`--kind is missing, and no system that we can read answered at ${typed}.`, ...tried].join('\n'),
    )
  }
  const source = sources.get(kind)
  if (source === undefined) throw new UsageError(`--kind ${kind} is not one of ${[...sources.keys()].join(', ')}.`)
  return { source, url: typed.replace(/\/+$/, '') }
}

const parse = (args: readonly string[]) =>
  parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      kind: { type: 'string' },
      url: { type: 'string' },
      term: { type: 'string' },
      subject: { type: 'string' },
      school: { type: 'string' },
      career: { type: 'string' },
      timeout: { type: 'string' },
      set: { type: 'string', multiple: true },
      json: { type: 'boolean' },
    },
  })

function readSettings(source: Source, pairs: string[]): Record<string, string> {
  const settings: Record<string, string> = {}
  for (const pair of pairs) {
    const equals = pair.indexOf('=')
    const name = pair.slice(0, Math.max(equals, 0))
    if (!source.settings.some((setting) => setting.name === name)) {
      const names = source.settings.map((setting) => setting.name).join(', ') || 'no settings'
      throw new UsageError(`--set ${pair}: ${source.kind} supports ${names}, given as NAME=VALUE.`)
    }
    settings[name] = pair.slice(equals + 1)
  }
  return settings
}

/** The school that is one of several at the address. One that is a setting there is added to `settings` instead. */
function readSchool(source: Source, school: string, settings: Record<string, string>): string {
  if (hasSchools(source)) {
    if (school === '') throw new UsageError(`--school is missing: ${source.label} serves several.`)
    return school
  }
  if (school === '') return ''
  if (!source.settings.some(({ name }) => name === 'institution'))
    throw new UsageError(`--school: ${source.label} has one school per address.`)
  const { institution = school } = settings
  if (institution !== school) throw new UsageError(`--school ${school} contradicts --set institution=${institution}.`)
  settings['institution'] = school
  return ''
}

function open(source: Source, address: SourceAddress, timeoutMs: number) {
  return openFromHere(source, address, { turn: pauseFor(address.url), timeoutMs })
}

interface Checked {
  answer: Answer<GroupSections>
  /** What the school offers, as far as it was requested. */
  terms: SourceTerm[]
  subjects: SourceSubject[]
  requests: number
}

async function check(wanted: Wanted): Promise<Checked> {
  const { source, url, settings, term, subject, school, career, timeoutMs } = wanted
  const { lane, requests } = open(source, { url, settings }, timeoutMs)
  if (term !== undefined && subject !== undefined) {
    const answer = await checkSubject(source, lane, { ...wanted, term, subject })
    // An empty answer is believed only if the school also lists the term and the subject.
    const isEmpty = answer.known && answer.value.sections.length === 0
    if (!isEmpty) return { answer, terms: [], subjects: [], requests: requests() }
  }
  const found = emptyCheck()
  await checkSchool(lane, { school, term, subject, career, time_zone: 'UTC', now: Date.now() }, found)
  const { why, sections, terms, subjects, warnings } = found
  const answer = why === null ? known({ sections }, warnings) : (found.unknown ?? unknown('incomplete', why))
  return { answer, terms, subjects, requests: requests() }
}

function warningsOf({ value, warnings }: Extract<Answer<GroupSections>, { known: true }>): string[] {
  return [...warnings, ...unclearOf(value.sections)]
}

function asJson({ answer, terms, subjects, requests }: Checked): string {
  const shown = { believed: answer.known, why: answer.known ? null : answer.why, terms, subjects }
  if (answer.known) {
    const sections = answer.value.sections.map(asPrinted)
    return JSON.stringify({ ...shown, sections, requests, warnings: warningsOf(answer) }, null, 2)
  }
  const { known: _known, ...unknown } = answer
  return JSON.stringify({ ...shown, sections: [], requests, warnings: [], unknown }, null, 2)
}

/** Runs the command with the words after its name. Returns the exit code. */
export async function runSource(args: readonly string[]): Promise<number> {
  try {
    return await runCommand(args)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    printError(`${error.message}\nSee: npm run source -- --help`)
    return EXIT.wrongUse
  }
}

/** @throws UsageError */
async function runCommand(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    print(usage)
    return EXIT.believed
  }
  if (isAboutDirectory(args)) return runDirectory(args)
  const wanted = await readArguments(args)
  const checked = await check(wanted)
  const { answer, requests } = checked
  if (wanted.asJson) print(asJson(checked))
  if (!answer.known) {
    printError(`Unknown (${answer.reason}): ${answer.why}`)
    if (!wanted.asJson) printError(`${requests} requests.`)
    return EXIT.unknown
  }
  if (!wanted.asJson) {
    if (answer.value.sections.length > 0) print(sectionsTable(answer.value.sections))
    for (const warning of warningsOf(answer)) print(`Warning: ${warning}`)
    print(`${answer.value.sections.length} sections, ${requests} requests.`)
  }
  return EXIT.believed
}
