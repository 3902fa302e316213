import { jsonObjectOf, type Call } from '../http.ts'

/** The one field that a request asks a school for, with its arguments. */
export interface Asked {
  school: unknown
  field: string
  values: Readonly<Record<string, unknown>>
}

/** Every known name of the system; it refuses a request with any other. */
const NAMES = new Set(
  `environment courseSearchTerms code name findCourses getCourseSections totalSections pageInfo hasNextPage endCursor edges node
  id courseNumber title subject shortName registrationNumber sectionNumber component instructors instructionMode campus openSeats
  totalSeats meetings days startTime endTime startDate endDate building room`.split(/\s+/),
)

/** What a request asks for; a sentence if the system would refuse it. */
export function readRequest(call: Call): Asked | string {
  const body = jsonObjectOf(call)
  const query = body?.['query']
  if (call.method !== 'POST' || typeof query !== 'string') return 'Must provide query string.'
  const variables: unknown = body?.['variables']
  const given = new Map(typeof variables === 'object' && variables !== null ? Object.entries(variables) : [])
  const declared = new Set(
    Array.from((/^query \(([^)]*)\)/.exec(query)?.[1] ?? '').matchAll(/\$(\w+):/g), ([, name]) => name),
  )
  const selection = query.replace(/^query \([^)]*\)/, '')
  for (const [name] of selection.replaceAll(/\([^)]*\)/g, '').matchAll(/\w+/g)) {
    if (!NAMES.has(name)) return `Cannot query field "${name}".`
  }
  const undeclared = [...given.keys(), ...Array.from(selection.matchAll(/\$(\w+)/g), ([, name]) => name)].find(
    (name) => !declared.has(name),
  )
  if (undeclared !== undefined) return `Variable "$${undeclared}" is not defined.`
  const valuesOf = (field: string): Record<string, unknown> => {
    const [, inside = ''] = new RegExp(`\\b${field}\\(([^)]*)\\)`).exec(selection) ?? []
    const pairs = Array.from(inside.matchAll(/(\w+): (\$?\w+)/g), ([, name = '', value = '']) => [
      name,
      value.startsWith('$') ? given.get(value.slice(1)) : value === 'true',
    ])
    return Object.fromEntries(pairs) as Record<string, unknown>
  }
  const field = ['courseSearchTerms', 'findCourses', 'getCourseSections'].find((name) => selection.includes(name)) ?? ''
  return { school: valuesOf('environment')['name'], field, values: valuesOf(field) }
}
