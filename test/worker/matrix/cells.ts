import type { Decision } from './expected.ts'
import type { Role } from './people.ts'

/** One request of the matrix, and its allowed outcomes. */
export interface Cell {
  /** Which part of the matrix it belongs to. */
  part: string
  role: Role
  method: string
  path: string
  isJson: boolean
  /** Decided before the route is called; `null` if only `statuses` counts. */
  decision: Decision
  /** What the route may answer if it is called. */
  statuses: readonly number[]
  /** Headers in addition to the usual ones of our own page; null removes one. */
  headers?: Readonly<Record<string, string | null>>
  body?: Body
  /** The Allow header, if the method does not exist. */
  allow?: string
}

export type Body = 'empty' | 'json' | 'oversize' | 'oversize-token' | 'torn'

const boundary = 'torn'
const megabyte = 1024 * 1024

/** The body and its type as sent. `token`: for a form that contains it. */
export function bodyOf(kind: Body, token: string): { body: string; type: string } {
  const form = 'application/x-www-form-urlencoded'
  switch (kind) {
    case 'empty':
      return { body: '', type: form }
    case 'json':
      return { body: '{"csrf_token":[{}],"page":{"__proto__":null}}', type: 'application/json' }
    case 'oversize':
      return { body: `notes=${'a'.repeat(megabyte)}`, type: form }
    case 'oversize-token':
      return { body: `csrf_token=${token}&notes=${'a'.repeat(megabyte)}`, type: form }
    case 'torn':
      return {
        body: `--${boundary}\r\nContent-Disposition: form-data; name="a`,
        type: `multipart/form-data; boundary=${boundary}`,
      }
  }
}

export const describeCell = ({ part, role, method, path, isJson, body }: Cell): string =>
  [part, role, method, path.length > 120 ? `${path.slice(0, 120)}…` : path, isJson ? 'as JSON' : '', body ?? '']
    .filter(Boolean)
    .join(' · ')
