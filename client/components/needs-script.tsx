import { MessageBox } from './message-box.tsx'

/** Shown only if scripts are off: what cannot be done on this page without them. Everything on it can still be read. */
export function NeedsScript({ act }: { act: string }) {
  return (
    <noscript>
      <MessageBox tone="plain">{act} needs JavaScript, which is turned off in this browser.</MessageBox>
    </noscript>
  )
}
