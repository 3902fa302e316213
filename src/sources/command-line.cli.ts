import { setTimeout as sleep } from 'node:timers/promises'
import { isLoopback } from './cookies.ts'
import { requestedWait } from './http.ts'
import { judge } from './judge.ts'
import type { Lane, Seats, Source, SourceAddress, SourceSection } from './source.ts'

/** Exit codes for a believed answer, an answer that is not believed, and wrong usage. */
export const EXIT = { believed: 0, wrongUse: 2, unknown: 3 } as const

/** Wrong usage; the message says why. */
export class UsageError extends Error {}

/** What `read` returns. @throws UsageError if it throws, with its message after `before` */
export function orUsageError<Value>(read: () => Value, before = ''): Value {
  try {
    return read()
  } catch (error) {
    throw new UsageError(before + (error instanceof Error ? error.message : String(error)))
  }
}

/** The option `--timeout` in ms; default: 30 seconds. @throws UsageError */
export function timeoutOf(option = '30'): number {
  const seconds = Number(option)
  if (!(seconds > 0 && seconds <= 600)) throw new UsageError('--timeout is a number of seconds, at most 600.')
  return seconds * 1000
}

/** The time between two requests to a real school, in ms: a person at a desk is in no hurry. */
const PAUSE_MS = 300

export const pauseFor = (url: string) => () => sleep(isLoopback(new URL(url).hostname) ? 0 : PAUSE_MS)

/** When hosts that asked us to wait may be asked again, ms since epoch. */
type Limited = Map<string, number>

export interface LaneTools {
  /** Resolves when the next request may go out. */
  turn: () => Promise<unknown>
  timeoutMs: number
  /** Shared by the conversations of a command, because several schools may be on one host; absent if there is one. */
  limited?: Limited
}

function noteLimit(limited: Limited, host: string, { status, headers }: Response): void {
  const now = Date.now()
  const seconds = requestedWait(status, headers, now)
  if (seconds !== null) limited.set(host, now + seconds * 1000)
}

async function waitFor(limited: Limited, host: string): Promise<void> {
  const wait = (limited.get(host) ?? 0) - Date.now()
  if (wait <= 0) return
  printError(`Waiting ${Math.ceil(wait / 1000)} s, as ${host} asked.`)
  await sleep(wait)
}

/** A conversation from this computer, and the number of requests sent so far. */
export function openFromHere(
  source: Source,
  address: SourceAddress,
  { turn, timeoutMs, limited = new Map() }: LaneTools,
): { lane: Lane; requests: () => number } {
  const { host } = new URL(address.url)
  let requests = 0
  const lane = source.openLane(address, {
    fetch: async (input, init) => {
      const answer = await fetch(input, init)
      noteLimit(limited, host, answer)
      return answer
    },
    budget: async () => {
      await waitFor(limited, host)
      await turn()
      requests++
    },
    now: Date.now,
    timeout_ms: timeoutMs,
  })
  return { lane, requests: () => requests }
}

/** A section with its seats judged, as the product would show it. */
type PrintedSection = Omit<SourceSection, 'stated' | 'figures' | 'doubts'> & Seats

function judged(section: SourceSection): PrintedSection {
  const { stated: _stated, figures: _figures, doubts: _doubts, ...texts } = section
  return { ...texts, ...judge(section) }
}

/** As JSON has it. */
export function asPrinted(section: SourceSection): PrintedSection {
  return { ...judged(section), instruction_list: section.instruction_list ?? [] }
}

/** Control characters except tabs and the ends of lines. */
const CONTROLS = /(?![\t\n])\p{Cc}/gu

/** Control characters as JSON escapes them: a school's texts may have some, and a terminal would act on them. */
const visible = (text: string): string =>
  text.replace(CONTROLS, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Prints a text, with its control characters made visible. */
export const print = (text: string): void => console.log(visible(text))

/** The same, on standard error. */
export const printError = (text: string): void => console.error(visible(text))

const MAX_WIDTH = 60

/** The first row has the titles. Cells longer than 60 characters push the following ones to the right. */
export function tableOf(texts: readonly (readonly string[])[]): string {
  const rows = texts.map((row) => row.map(visible))
  const [titles = []] = rows
  const widths = titles.map((_, column) =>
    Math.min(MAX_WIDTH, Math.max(...rows.map((row) => row[column]?.length ?? 0))),
  )
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const COLUMNS: readonly (readonly [string, (section: PrintedSection) => string])[] = [
  ['NUMBER', (section) => section.number],
  ['COURSE', (section) => `${section.code} ${section.level}`],
  ['SECTION', (section) => section.section],
  ['STATUS', (section) => section.status],
  ['SEATS', (section) => figure(section.seats_available)],
  ['OF', (section) => figure(section.capacity)],
  ['LIST', (section) => figure(section.waitlist_available)],
  ['TOPIC', (section) => section.topic],
  [
    'TAUGHT BY',
    (section) => (section.instruction_list ?? []).map(({ name, days_times }) => `${name}: ${days_times}`).join('; '),
  ],
  ['MODE', (section) => section.instruction_mode],
]

function figure(value: number | null): string {
  return value === null ? '-' : String(value)
}

/** The sections with their seats judged; by default with all columns. */
export function sectionsTable(sections: readonly SourceSection[], columns: number = COLUMNS.length): string {
  const shown = COLUMNS.slice(0, columns)
  return tableOf([
    shown.map(([title]) => title),
    ...sections.map(judged).map((section) => shown.map(([, cell]) => cell(section))),
  ])
}
