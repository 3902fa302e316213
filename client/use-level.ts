import { useEffect, useState } from 'react'
import { messagesOf } from './errors.ts'

/** The list of one level: null while it is loading. */
export interface Level<Item> {
  items: readonly Item[] | null
  errors: string[]
}
const empty: Level<never> = { items: [], errors: [] }
const coming: Level<never> = { items: null, errors: [] }

/**
 * Loads one level of a cascade whenever `load` changes (null: nothing to load); a late answer for an earlier choice is
 * dropped. A new `attempt` loads it again.
 */
export function useLevel<Item>(load: ((signal: AbortSignal) => Promise<Item[]>) | null, attempt: number): Level<Item> {
  const [loaded, setLoaded] = useState<{ by: unknown; attempt: number; level: Level<Item> }>({
    by: null,
    attempt,
    level: empty,
  })
  useEffect(() => {
    if (load === null) return
    const leaving = new AbortController()
    load(leaving.signal).then(
      (items) => setLoaded({ by: load, attempt, level: { items, errors: [] } }),
      (error: unknown) => {
        if (!leaving.signal.aborted) setLoaded({ by: load, attempt, level: { items: [], errors: messagesOf(error) } })
      },
    )
    return () => leaving.abort()
  }, [load, attempt])
  if (load === null) return empty
  return loaded.by === load && loaded.attempt === attempt ? loaded.level : coming
}
