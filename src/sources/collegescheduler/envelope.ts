import { known, unknown } from '../answer.ts'
import type { Page } from '../http.ts'
import { readJson } from '../json-page.ts'
import { isRecord } from '../record.ts'
import type { Answer } from '../source.ts'
import { tidy } from '../text.ts'

/** One page of a list: its nodes, and where the next begins; null after the last. */
export interface Connection {
  nodes: unknown[]
  next: string | null
  /** The list as it arrived, for data besides its pages. */
  list: Record<string, unknown>
}

/**
 * The field of this name in the school's part of an answer. Errors come with status 200 and leave parts of it empty.
 */
export function readField(page: Page, name: string): Answer<unknown> {
  const read = readJson(page, 'data')
  if (!read.known) return read
  const answer = read.value
  if (!isRecord(answer)) return unknown('not_the_protocol', 'The school answered with something other than data.')
  const { errors, data } = answer
  if (errors !== undefined && errors !== null) return unknown('incomplete', `The school reports ${describe(errors)}`)
  if (!isRecord(data) || !isRecord(data['environment']))
    return unknown('not_the_protocol', 'The system does not know a school of this name.')
  return known(data['environment'][name])
}

/** Reads a page of a list strictly: without its nodes or the link to the next page, nobody knows what is missing. */
export function readConnection(page: Page, name: string): Answer<Connection> {
  const field = readField(page, name)
  if (!field.known) return field
  const list = field.value
  if (!isRecord(list) || !Array.isArray(list['edges']) || !isRecord(list['pageInfo']))
    return unknown('incomplete', 'The school answered without a list.')
  const { hasNextPage, endCursor } = list['pageInfo']
  if (typeof hasNextPage !== 'boolean' || (hasNextPage && (typeof endCursor !== 'string' || endCursor === '')))
    return unknown('incomplete', 'The school does not say whether its list goes on.')
  const nodes = list['edges'].map((edge: unknown) => (isRecord(edge) ? (edge['node'] ?? null) : null))
  return known({ nodes, next: hasNextPage && typeof endCursor === 'string' ? endCursor : null, list })
}

function describe(errors: unknown): string {
  const [first]: unknown[] = Array.isArray(errors) ? errors : []
  const message = isRecord(first) ? tidy(first['message']).slice(0, 200) : ''
  return message === '' ? 'an error.' : `an error: ${message.replace(/\.+$/, '')}.`
}
