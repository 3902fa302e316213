import { useCallback, useEffect, useRef, useState } from 'react'
import { messagesOf } from '#in-browser/errors.ts'
import { Button } from './components/button.tsx'

/** The list of one level: null while it is loading. */
export interface Level<Item> {
  items: readonly Item[] | null
  errors: string[]
  retry: () => void
}

type Loaded<Item> = Omit<Level<Item>, 'retry'>
const empty: Loaded<never> = { items: [], errors: [] }
const coming: Loaded<never> = { items: null, errors: [] }

/** Loads one level of a cascade when `key` changes (null: nothing to load); drops a late answer for an earlier key. */
export function useLevel<Item>(
  key: string | null,
  load: (signal: AbortSignal) => Promise<readonly Item[]>,
): Level<Item> {
  const [attempt, setAttempt] = useState(0)
  const retry = useCallback(() => setAttempt((made) => made + 1), [])
  const wanted = key === null ? null : `${attempt} ${key}`
  const [loaded, setLoaded] = useState<{ wanted: string | null; level: Loaded<Item> }>({ wanted, level: coming })
  const latest = useRef(load)
  useEffect(() => {
    latest.current = load
  })
  useEffect(() => {
    if (wanted === null) return
    const controller = new AbortController()
    latest.current(controller.signal).then(
      (items) => setLoaded({ wanted, level: { items, errors: [] } }),
      (error: unknown) => {
        if (!controller.signal.aborted) setLoaded({ wanted, level: { items: [], errors: messagesOf(error) } })
      },
    )
    return () => controller.abort()
  }, [wanted])
  const present = loaded.wanted === wanted ? loaded.level : coming
  return { ...(wanted === null ? empty : present), retry }
}

interface TryAgainProps {
  /** What was to be loaded. */
  levels: readonly { errors: readonly string[]; retry: () => void }[]
  label?: string
}

/** A button that loads what failed once more; nothing if nothing failed. */
export function TryAgain({ levels, label = 'Try again' }: TryAgainProps) {
  const failed = levels.filter(({ errors }) => errors.length > 0)
  if (failed.length === 0) return null
  return (
    <div>
      <Button icon="refresh" onClick={() => failed.forEach(({ retry }) => retry())}>
        {label}
      </Button>
    </div>
  )
}
