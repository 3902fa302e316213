/**
 * A time zone in which it is between two and three in the afternoon, so that today has a past. @param now ms since
 * epoch
 */
export function afternoonZone(now: number): string {
  const hours = 14 - new Date(now).getUTCHours()
  return `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`
}
