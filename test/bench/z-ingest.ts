import { measureInChild } from './cpu/child.ts'
import type { Part } from './report.ts'

/** A whole term of every kind but Banner 9 and CUNY, which have parts of their own: CPU from the answers to the comparison with what is stored. */
export async function measureIngest(): Promise<Part> {
  return {
    name: '(z) Whole terms of the other kinds',
    figures: await measureInChild('kinds'),
    notes: [
      'CPU time of the whole conversation, replayed, against JSON.parse (or the bare tokenizer, where the answers are HTML) of the same bytes.',
      'Banner 9 and CUNY are parts a and b; the memory that Rutgers takes is in part r.',
    ],
  }
}
