import { sources } from '../../sources/sources.ts'

/** What this kind of system calls a section's number: "CRN". */
export function numberLabel(kind: string): string {
  return sources.get(kind)?.number_label ?? 'Number'
}
