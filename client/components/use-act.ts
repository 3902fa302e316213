import { useCallback, useRef, useState } from 'react'
import { messagesOf } from '#in-browser/errors.ts'

/** One act at a time, with its state for display: whether it is running, and why the last one failed. */
export function useAct() {
  const running = useRef(false)
  const [busy, setBusy] = useState(false)
  const [errors, setErrors] = useState<string[]>([])

  const act = useCallback((work: () => Promise<void>) => {
    if (running.current) return
    running.current = true
    setBusy(true)
    setErrors([])
    work()
      .catch((error: unknown) => setErrors(messagesOf(error)))
      .finally(() => {
        running.current = false
        setBusy(false)
      })
  }, [])

  return { busy, errors, act, setErrors }
}
