import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ErrorSummary } from '../../components/error-summary.tsx'
import { Field } from '../../components/field.tsx'
import { useAct } from '../../components/use-act.ts'

const reasonLimit = 1000

/** Reports a server to the managers. `onReport` resolves to the sentence to show. */
export function ReportForm({ onReport }: { onReport: (reason: string) => Promise<string> }) {
  const [reason, setReason] = useState('')
  const [isMissing, setMissing] = useState(false)
  const [said, setSaid] = useState('')
  const { busy, errors, act } = useAct()
  const error = isMissing && reason.trim() === '' ? 'Say what is wrong.' : ''

  function report(): void {
    setMissing(true)
    if (reason.trim() === '') return document.getElementById('report-reason')?.focus()
    act(async () => setSaid(await onReport(reason.trim())))
  }

  return (
    <details>
      <summary className="small">Report this server</summary>
      <div className="stack stack-small" role="status">
        {said !== '' && <p className="message message-success message-text">{said}</p>}
      </div>
      {said === '' && (
        <div className="stack stack-small">
          <ErrorSummary errors={errors.map((message) => ({ message }))} />
          <Field
            id="report-reason"
            label="What is wrong with it?"
            help="Managers see this. Once a day for each server."
            error={error}
          >
            <textarea
              id="report-reason"
              className="input"
              maxLength={reasonLimit}
              value={reason}
              aria-invalid={error !== '' || undefined}
              aria-describedby={error === '' ? 'report-reason-help' : 'report-reason-help report-reason-error'}
              onChange={(event) => setReason(event.target.value)}
            />
          </Field>
          <div>
            <Button busy={busy} onClick={report}>
              Send report
            </Button>
          </div>
        </div>
      )}
    </details>
  )
}
