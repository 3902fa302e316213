/** A placeholder for something that is still loading. `label` is for people who cannot see it pulse. */
export function Skeleton({ label, lines }: { label: string; lines: number }) {
  return (
    <div className="stack stack-small" role="status">
      <span className="hidden-visually">{label}</span>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} className="skeleton" />
      ))}
    </div>
  )
}
