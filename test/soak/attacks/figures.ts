import type { Figure } from '../../bench/report.ts'
import type { AttackTally } from './attacker.ts'

/** What was tried and how it was answered, one figure per kind of attack. */
export function attackFigures({ answers, gained, failures }: AttackTally): Figure[] {
  const kinds = [...answers].map(([kind, byStatus]): Figure => {
    const statuses = [...byStatus].toSorted(([one], [other]) => one - other)
    return {
      what: `attack: ${kind}`,
      value: statuses.reduce((sum, [, times]) => sum + times, 0),
      unit: '',
      note: statuses.map(([status, times]) => `${status}: ${times}`).join(', '),
    }
  })
  return [
    { what: 'what attackers got that no one may have', value: gained.length, unit: '', exactly: 0 },
    { what: 'answers of 500 and above to attackers', value: failures.length, unit: '', exactly: 0 },
    ...kinds,
  ]
}
