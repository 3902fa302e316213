import { useState } from 'react'
import { hueOf, initialsOf } from './hue.ts'

/** A server's picture, or its initials if it has none or it does not load. Decorative: the name is beside it. */
export function ServerIcon({ name, url, round = false }: { name: string; url: string | null; round?: boolean }) {
  const look = round ? 'server-icon round' : 'server-icon'
  const [missing, setMissing] = useState<string | null>(null)
  if (!url || missing === url) {
    return (
      <span className={`${look} ${hueOf(name)}`} aria-hidden="true">
        {initialsOf(name)}
      </span>
    )
  }
  return (
    <img
      className={look}
      src={url}
      alt=""
      width="48"
      height="48"
      loading="lazy"
      decoding="async"
      referrerPolicy="no-referrer"
      onError={() => setMissing(url)}
      ref={(image) => {
        // Loading may have failed before this script ran.
        if (image?.complete && image.naturalWidth === 0) setMissing(url)
      }}
    />
  )
}
