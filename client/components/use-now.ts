import { useSyncExternalStore } from 'react'

/** The page's clock moves in steps of five seconds, so that all relative times change together, and rarely. */
const STEP_MS = 5000
const listeners = new Set<() => void>()
let current = 0
let timer: ReturnType<typeof setInterval> | undefined

function tick(): void {
  current = Date.now()
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(tick, STEP_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
    current = 0
  }
}

function read(): number {
  if (current === 0) current = Date.now()
  return current
}

/** Milliseconds since epoch, or null on the server and while hydrating, so that both write the same page. */
export function useNow(): number | null {
  return useSyncExternalStore<number | null>(subscribe, read, () => null)
}
