import { useCallback, useState, type ComponentType } from 'react'
import { MessageBox } from './message-box.tsx'

/** A part of a page that is loaded when it is about to be needed. `load` must stay the same function. */
export function useLater<Props>(load: () => Promise<ComponentType<Props>>) {
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
      <MessageBox tone="danger" role="alert">
        Part of this page did not load. Reload the page and try again.
      </MessageBox>
    </div>
  ) : null
  return { Loaded, prepare, failure }
}
