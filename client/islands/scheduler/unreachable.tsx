/** Queues that did not answer in time, whose jobs are missing from the page. */
export function Unreachable({ queues, what }: { queues: readonly string[]; what: string }) {
  if (queues.length === 0) return null
  return (
    <p className="error-summary" role="status">
      {queues.join(', ')} did not respond in time, so {queues.length === 1 ? 'its' : 'their'} {what} are not shown.
    </p>
  )
}
