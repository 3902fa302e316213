import { useEffect, useRef } from 'react'

/** As long as the animation of `.fold-away`, in ms. */
const FOLD_MS = 300

/** Removes something from the page once its animation has run: at once for people who want no motion. */
export function useFoldAway(): (remove: () => void) => void {
  const timers = useRef(new Set<ReturnType<typeof setTimeout>>())
  useEffect(() => {
    const waiting = timers.current
    return () => waiting.forEach(clearTimeout)
  }, [])

  return (remove) => {
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
    timers.current.add(setTimeout(remove, isStill ? 0 : FOLD_MS))
  }
}
