import { useCallback, useState, type ComponentType, type ReactNode } from 'react'
import { MessageBox } from './message-box.tsx'

interface Later<Props> {
  /** Null until it has loaded. */
  Loaded: ComponentType<Props> | null
  /** Loads it before it is needed. */
  prepare: () => void
  /** A message to show in its place if it did not load; otherwise null. */
  failure: ReactNode
}

/**
 * A part of a page that is not loaded with it: it is fetched when it is about to be needed. `load` must stay the same
 * function.
 */
export function useLater<Props>(load: () => Promise<ComponentType<Props>>): Later<Props> {
  const [Loaded, setLoaded] = useState<ComponentType<Props> | null>(null)
  const [isFailed, setFailed] = useState(false)

  const prepare = useCallback(() => {
    load().then(
      (loaded) => {
        setLoaded(() => loaded)
        setFailed(false)
      },
      () => setFailed(true),
    )
  }, [load])

  const failure = isFailed ? (
    <div className="toasts">
      <MessageBox tone="danger" icon="warning" role="alert">
        Part of this page did not load. Reload the page and try again.
      </MessageBox>
    </div>
  ) : null
  return { Loaded, prepare, failure }
}
