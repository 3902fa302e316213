import { localMinutes } from '../lib/time-zone.ts'

/** First moment (ms) at which a term is surely over: no school's season ends later. */
export function termEnd(year: number, season: string, timeZone: string): number {
  const ends = { winter: [year, 3, 1], spring: [year, 5, 15], summer: [year, 8, 1], fall: [year + 1, 0, 1] } as const
  const [endYear, month, day] = ends[season as keyof typeof ends] ?? ends.fall
  const midnight = Date.UTC(endYear, month, day)
  const minutes = localMinutes(timeZone, midnight)
  const offset = minutes > 12 * 60 ? minutes - 24 * 60 : minutes
  return midnight - offset * 60_000
}
