import type { KVNamespace } from '@cloudflare/workers-types'
import type { StatementCounts } from './counted-database.ts'

/** The KV namespace with every call counted as `KV get`, `KV put` … */
export function countedSessions(inner: KVNamespace, counts: StatementCounts): KVNamespace {
  return new Proxy(inner, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...values: unknown[]): unknown => {
        counts.addCall(`KV ${String(name)}`)
        return Reflect.apply(member, target, values)
      }
    },
  })
}
