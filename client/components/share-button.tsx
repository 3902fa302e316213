import { Button } from './button.tsx'
import { useRunning } from './use-running.ts'

/** Hands a link to the apps of a phone. Nothing where the browser cannot: there is Copy beside it. */
export function ShareButton({ url, title }: { url: string; title: string }) {
  const isRunning = useRunning()
  if (!isRunning || !('share' in navigator)) return null
  return (
    <Button
      icon="share"
      onClick={() => {
        // Somebody who changes their mind is no failure.
        navigator.share({ url: new URL(url, location.href).href, title }).catch(() => undefined)
      }}
    >
      Share<span className="hidden-visually"> {title}</span>
    </Button>
  )
}
