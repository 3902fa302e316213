import { compareSections, type StoredSection } from '../../../src/class-tracker/refresh/compare-sections.ts'
import { Conversation } from '../../../src/sources/http.ts'
import type { Figure } from '../report.ts'
import { formerStateOf, readOf } from './former-state.ts'
import { compareCpu, ratioFigure } from './pair.ts'
import { type RecordedTerm, readTerm, toolsOf } from './record-term.ts'
import { type Replayed, replayed, replayOf } from './replay.ts'
import { makeTokens } from './tokenizer.ts'

const PAIRS = 15
/** Reading takes at most this many times the minimum of any reader. */
const MAX_RATIO = 2
/** Kinds that keep the bound with the comparison, too; for the others that ratio is only reported. */
const boundWithComparison = new Set(['rutgers'])

/**
 * CPU of a whole term, from its recorded answers to the comparison with what is stored, against `JSON.parse` or the
 * tokens of the same bytes.
 */
export async function measureKindCpu(term: RecordedTerm): Promise<Figure[]> {
  const answers = replayed(term.recorded)
  const { parse, bytes, count } = parserOf(answers)
  const read = (take: Take): Promise<void> => readTerm(term, answers, take)
  // Page by page, as a refresh keeps them: objects that once lived long would stay in the old generation.
  const known: StoredSection[][] = []
  await read((found, index) => known.push(formerStateOf(index + 1, found)))
  const sections = known.flat().length
  const justRead = (): Promise<void> => read(() => undefined)
  const refresh = async (): Promise<void> => {
    let writes = 0
    await read((found, index) => {
      writes += compareSections([readOf(index + 1, found, known[index] ?? [])]).writes.length
    })
    if (writes !== 0) throw new Error(`${writes} sections differ.`)
  }
  const { kind } = term
  return [
    { what: `${kind}: sections`, value: sections, unit: '', note: `${count} answers, ${(bytes / 1e6).toFixed(1)} MB` },
    ratioFigure(`${kind}: parse and normalize`, await compareCpu(justRead, parse, PAIRS), MAX_RATIO),
    ratioFigure(
      `${kind}: parse, normalize, compare (unchanged)`,
      await compareCpu(refresh, parse, PAIRS),
      boundWithComparison.has(kind) ? MAX_RATIO : undefined,
    ),
  ]
}

type Take = Parameters<typeof readTerm>[2]

/**
 * The minimum of any reader of these answers: requests them as the adapter does, and makes values or tokens of each.
 */
function parserOf(all: readonly Replayed[]): { parse: () => Promise<void>; bytes: number; count: number } {
  const answers = all
    .filter(({ status }) => status < 300)
    .map((answer) => ({ ...answer, parseOne: isJson(answer.bytes) ? JSON.parse : makeTokens }))
  const parse = async (): Promise<void> => {
    const conversation = new Conversation(toolsOf(replayOf(answers)))
    for (const { call, parseOne } of answers) {
      const { page } = await conversation.request({ ...call, maxBytes: Infinity })
      if (page === null) throw new Error(`There was no answer of ${call.url}.`)
      parseOne(new TextDecoder().decode(page.bytes))
    }
  }
  return { parse, bytes: answers.reduce((sum, { bytes }) => sum + bytes.byteLength, 0), count: answers.length }
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder().decode(bytes))
    return true
  } catch {
    return false
  }
}
