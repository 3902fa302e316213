import { useCallback, useRef, useState } from 'react'
import { messagesOf } from '#in-browser/errors.ts'

interface Acting {
  busy: boolean
  /** The errors of the last run; empty if it succeeded. */
  errors: string[]
  /** Runs the act unless one is already running. If it fails, `errors` says why. */
  act: (work: () => Promise<void>) => void
  setErrors: (errors: string[]) => void
}

/** One act at a time, with its state for display: whether it is running, and why it failed. */
export function useAct(): Acting {
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
