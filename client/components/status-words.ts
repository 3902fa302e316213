import type { SectionStatus } from '../../src/class-tracker/courses/contract.ts'

export const statusWords: Record<SectionStatus, string> = {
  open: 'Open',
  waitlisted: 'Waitlisted',
  closed: 'Closed',
  unknown: 'Unknown',
}
