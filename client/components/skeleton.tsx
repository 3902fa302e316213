/** The place of something that is still on its way. `label` is for those who cannot see it breathe. */
export function Skeleton({ label, lines = 3, tall = false }: { label: string; lines?: number; tall?: boolean }) {
  return (
    <div className="stack stack-small" role="status">
      <span className="hidden-visually">{label}</span>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} className={`skeleton ${tall ? 'skeleton-tall' : line === lines - 1 ? 'skeleton-short' : ''}`} />
      ))}
    </div>
  )
}
