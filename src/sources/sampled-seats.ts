import { whyUnknown } from './judge.ts'
import type { Group, Lane, Observation, SourceSection } from './source.ts'

/** How many sections a check requests individually if the list has no seats. */
const MAX_SAMPLED = 3

/** Whether the list of the section has no seats, which is not a fault of its row. */
function hasNoSeats({ stated, has_figures, doubts }: Observation): boolean {
  return stated === 'unknown' && has_figures === false && doubts.length === 0
}

/** The sections of a list, the first few with their seats if the list has none; and warnings for a person. */
export async function withSampledSeats(
  lane: Lane,
  group: Group,
  sections: readonly SourceSection[],
): Promise<{ sections: SourceSection[]; warnings: string[] }> {
  const seen = new Map<string, Observation>()
  const warnings: string[] = []
  const sampled = lane.details ? sections.filter(hasNoSeats).slice(0, MAX_SAMPLED) : []
  for (const { section_key, session_code } of sampled) {
    const answer = await lane.details?.(group, section_key, session_code)
    if (answer?.known) seen.set(section_key, answer.value)
    else if (answer) warnings.push(`${section_key}: ${answer.why}`)
  }
  if (sampled.length > 0) {
    warnings.push(
      `Its lists have no seats; ${sampled.length} of ${sections.length} sections were requested individually.`,
    )
  }
  return { sections: sections.map((section) => ({ ...section, ...seen.get(section.section_key) })), warnings }
}

/** Why the status of sections is unknown, one sentence each; none for those that were not requested individually. */
export function unclearOf(sections: readonly SourceSection[]): string[] {
  return sections.flatMap((section) => {
    const why = hasNoSeats(section) ? null : whyUnknown(section)
    return why === null ? [] : [`${section.number}: ${why}`]
  })
}
