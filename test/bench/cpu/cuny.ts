import { decodePage } from '../../../src/sources/cuny/lane.ts'
import { readResultsPage } from '../../../src/sources/cuny/results-page.ts'
import type { SourceSection } from '../../../src/sources/source.ts'
import { startWorld } from '../../world/server.ts'
import type { Figure } from '../report.ts'
import { recordResultPages, type RecordedPage } from './cuny-pages.ts'
import { formerStateOf, refreshOf } from './former-state.ts'
import { compareCpu, ratioFigure } from './pair.ts'
import { bareTokenizer } from './tokenizer.ts'

/** Four colleges of this size have 10 080 sections in a term. */
export const cunySize = { subjects: 12, sections: 210 }

function tokenize(pages: readonly RecordedPage[], decodeEntities: boolean): () => void {
  return () => {
    for (const { page } of pages) bareTokenizer(decodePage(page), decodeEntities)
  }
}

/** CPU of a term of CUNY sections against the bare tokenizer over the same bytes. */
export async function measureCunyCpu(): Promise<Figure[]> {
  const pages = await recordTerm()
  const understand = ({ page, asked }: RecordedPage): SourceSection[] => {
    const answer = readResultsPage(decodePage(page), asked)
    if (!answer.known) throw new Error(answer.why)
    return answer.value.sections
  }
  const known = pages.map((page, index) => formerStateOf(index + 1, understand(page)))
  const sections = known.flat().length
  const bare = tokenize(pages, true)
  const spread = await compareCpu(bare, bare)
  const unchanged = await compareCpu(refreshOf(pages, understand, known, 0), bare)
  const allNew = await compareCpu(refreshOf(pages, understand, [], sections), bare)
  const harder = await compareCpu(refreshOf(pages, understand, known, 0), tokenize(pages, false))
  const bytes = pages.reduce((total, { page }) => total + page.bytes.byteLength, 0)
  return [
    {
      what: 'pages of results',
      value: pages.length,
      unit: '',
      note: `${sections} sections, ${(bytes / 1e6).toFixed(1)} MB`,
    },
    ratioFigure('the tokenizer against itself (the spread)', spread),
    ratioFigure('parse, normalise, compare (unchanged)', unchanged, 2),
    ratioFigure('parse, normalise, compare (all of it new)', allNew, 2),
    ratioFigure('the same (unchanged) against a tokenizer that leaves entities alone', harder),
  ]
}

async function recordTerm(): Promise<RecordedPage[]> {
  const nobody = { appUrl: 'http://localhost', twilioAccountSid: '', twilioAuthToken: '' }
  const world = await startWorld({ ...nobody, size: cunySize })
  const pages = await recordResultPages(world)
  await world.close()
  return pages
}
