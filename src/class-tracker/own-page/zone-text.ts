/** What students call the time zones of the directory's schools. */
const names: Readonly<Record<string, string>> = {
  'America/New_York': 'Eastern time',
  'America/Chicago': 'Central time',
  'America/Denver': 'Mountain time',
  'America/Phoenix': 'Arizona time',
  'America/Los_Angeles': 'Pacific time',
  'America/Anchorage': 'Alaska time',
  'Pacific/Honolulu': 'Hawaii time',
  'America/Puerto_Rico': 'Atlantic time',
}

/** What is offered; the recipient's own zone and the browser's come first. */
export const commonZones: readonly string[] = [...Object.keys(names), 'UTC']

/** "Central time (Chicago)", "Berlin (Europe)", "UTC". */
export function zoneText(zone: string): string {
  const [region = '', ...places] = zone.replaceAll('_', ' ').split('/')
  const city = places.at(-1)
  if (city === undefined) return region
  const name = names[zone]
  return name === undefined ? `${city} (${region})` : `${name} (${city})`
}
