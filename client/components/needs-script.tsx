/** Shown only where scripts are off: what then cannot be done on this page. Everything on it can still be read. */
export function NeedsScript({ act }: { act: string }) {
  return (
    <noscript>
      <p className="error-summary">{act} needs JavaScript, which is turned off in this browser.</p>
    </noscript>
  )
}
