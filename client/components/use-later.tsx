import { useCallback, useState, type ComponentType, type ReactNode } from 'react'
import { Icon } from './icon.tsx'

interface Later<Props> {
  /** Null until it has come. */
  Loaded: ComponentType<Props> | null
  /** Fetches it before it is asked for. */
  prepare: () => void
  /** To be shown in its place where it did not come; else null. */
  failure: ReactNode
}

/** A part of a page that is no part of the first load: it is fetched when it is about to be needed. `load` stays the same. */
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
      <p className="message message-danger" role="alert">
        <Icon name="warning" size={16} />
        <span className="message-text">Part of this page did not load. Reload the page and try again.</span>
      </p>
    </div>
  ) : null
  return { Loaded, prepare, failure }
}
