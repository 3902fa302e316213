import { useState } from 'react'
import { hueOf, initialsOf } from './hue.ts'

interface ServerIconProps {
  name: string
  /** '' or null if the server has none. */
  url: string | null
  /** Whether it is for a person, and therefore round. */
  round?: boolean
}

/**
 * A server's picture, 48 by 48; its initials in its hue if it has none or it does not load. Decorative: the name is
 * beside it.
 */
export function ServerIcon({ name, url, round = false }: ServerIconProps) {
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
