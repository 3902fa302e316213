import { measureInChild } from './cpu/child.ts'
import type { Part } from './report.ts'

/** A whole term of the kinds that have no part of their own: CPU from the answers to the comparison with what is stored. */
export async function measureIngest(): Promise<Part> {
  return {
    name: '(z) Whole terms of the other kinds',
    figures: await measureInChild('kinds'),
    notes: [
      'CPU time of the whole conversation, replayed, against JSON.parse (or the bare tokenizer, where the answers are HTML) of the same bytes.',
      'Banner, CUNY and Rutgers are parts a, b and r.',
    ],
  }
}
