import { useEffect, useRef, useState } from 'react'
import { messagesOf } from '#in-browser/errors.ts'

/** The list of one level: null while it is loading. */
export interface Level<Item> {
  items: readonly Item[] | null
  errors: string[]
}
const empty: Level<never> = { items: [], errors: [] }
const coming: Level<never> = { items: null, errors: [] }

/** Loads one level of a cascade when `key` changes (null: nothing to load); drops a late answer for an earlier key. */
export function useLevel<Item>(
  key: string | null,
  load: (signal: AbortSignal) => Promise<readonly Item[]>,
): Level<Item> {
  const [loaded, setLoaded] = useState<{ key: string | null; level: Level<Item> }>({ key: null, level: empty })
  const latest = useRef(load)
  useEffect(() => {
    latest.current = load
  })
  useEffect(() => {
    if (key === null) return
    const controller = new AbortController()
    latest.current(controller.signal).then(
      (items) => setLoaded({ key, level: { items, errors: [] } }),
      (error: unknown) => {
        if (!controller.signal.aborted) setLoaded({ key, level: { items: [], errors: messagesOf(error) } })
      },
    )
    return () => controller.abort()
  }, [key])
  if (key === null) return empty
  return loaded.key === key ? loaded.level : coming
}
