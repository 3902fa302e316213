import { flushSync } from 'react-dom'

/** Opens a server's dialog so that it grows out of its card, if the browser supports View Transitions. */
export function grow(link: Element, open: () => void): void {
  const band = link.closest('article')?.querySelector('.band')
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
  if (!band || isStill || typeof document.startViewTransition !== 'function') return open()
  band.classList.add('band-grows')
  document.startViewTransition(() => {
    band.classList.remove('band-grows')
    flushSync(open)
  })
}
