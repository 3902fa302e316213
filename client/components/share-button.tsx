import { Button } from './button.tsx'
import { useHydrated } from './use-hydrated.ts'

/** Opens the phone's share menu for a link. Shows nothing if the browser has none: there is a Copy button beside it. */
export function ShareButton({ url, title }: { url: string; title: string }) {
  const isHydrated = useHydrated()
  if (!isHydrated || !('share' in navigator)) return null
  return (
    <Button
      icon="share"
      onClick={() => {
        // Canceling is not a failure.
        navigator.share({ url: new URL(url, location.href).href, title }).catch(() => undefined)
      }}
    >
      Share<span className="hidden-visually"> {title}</span>
    </Button>
  )
}
