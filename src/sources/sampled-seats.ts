import { whyUnknown } from './judge.ts'
import type { Group, Lane, Observation, SourceSection } from './source.ts'

/** Sections whose own page a check asks for, where the list tells no seats. */
const MAX_ALONE = 3

/** Whether the list that brought the section says nothing of seats at all, which is no fault of its row. */
function hasNoSeats({ stated, has_figures, doubts }: Observation): boolean {
  return stated === 'unknown' && has_figures === false && doubts.length === 0
}

/** The sections of a list, the first few with their seats where the list tells none; and what a person should know. */
export async function withSampledSeats(
  lane: Lane,
  group: Group,
  sections: readonly SourceSection[],
): Promise<{ sections: SourceSection[]; warnings: string[] }> {
  const seen = new Map<string, Observation>()
  const warnings: string[] = []
  const alone = lane.details ? sections.filter(hasNoSeats).slice(0, MAX_ALONE) : []
  for (const { section_key, session_code } of alone) {
    const answer = await lane.details?.(group, section_key, session_code)
    if (answer?.known) seen.set(section_key, answer.value)
    else if (answer) warnings.push(`${section_key}: ${answer.why}`)
  }
  if (alone.length > 0) {
    warnings.push(`Its lists tell no seats; ${alone.length} of ${sections.length} sections were asked for alone.`)
  }
  return { sections: sections.map((section) => ({ ...section, ...seen.get(section.section_key) })), warnings }
}

/** Why the status of sections is unknown, a sentence each; of those that were not asked alone nothing. */
export function unclearOf(sections: readonly SourceSection[]): string[] {
  return sections.flatMap((section) => {
    const why = hasNoSeats(section) ? null : whyUnknown(section)
    return why === null ? [] : [`${section.number}: ${why}`]
  })
}
