/** Work in progress: how far it is, and the name of the step. `total` 0 means that the total is not known yet. */
export function Progress({ done, total, label }: { done: number; total: number; label: string }) {
  return (
    <div className="progress">
      {total > 0 ? (
        <progress value={Math.min(done, total)} max={total} aria-label={label} />
      ) : (
        <progress aria-label={label} />
      )}
      <p className="small muted numbers">
        {label}
        {total > 0 && ` · ${done} of ${total}`}
      </p>
    </div>
  )
}
