/** A placeholder for something that is still loading. `label` is for people who cannot see it pulse. */
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
