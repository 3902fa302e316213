import { measureTermInChild } from './cpu/child.ts'
import { RECORDED_KINDS, recordTerm } from './cpu/record-term.ts'
import type { Figure, Part } from './report.ts'

/**
 * A whole term of every kind except Banner 9 and CUNY, which have separate parts: CPU from the answers to the
 * comparison with what is stored.
 */
export async function measureIngest(): Promise<Part> {
  const figures: Figure[] = []
  for (const kind of RECORDED_KINDS) figures.push(...(await measureTermInChild(await recordTerm(kind))))
  return {
    name: '(z) Whole terms of the other kinds',
    figures,
    notes: [
      'CPU time of the whole conversation, replayed, against JSON.parse of the same answers, one by one as they come; where they are HTML, against the tokenizer with every name, attribute and text made a string.',
      'Both sides ask for each answer through the product’s own Conversation and read it as a stream, so its time limit, cookies and streams are on both.',
      'Each kind has a process of its own with the heap of a Worker, 128 MB, 16 MB of it for new objects: on a larger heap the garbage of JSON.parse would be collected during the next measurement.',
      'Banner 9 and CUNY are parts a and b; the memory that Rutgers takes is in part r.',
    ],
  }
}
