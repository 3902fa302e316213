import { useEffect, useState, type FormEvent } from 'react'
import type { DiscordServer, ServerProps } from '../../../src/classcords/contract.ts'
import { MAX_REPORT_LENGTH } from '../../../src/classcords/invites/contract.ts'
import type { PageContext } from '../../../src/web/contract.ts'
import { Button } from '../../components/button.tsx'
import { ErrorSummary } from '../../components/error-summary.tsx'
import { describedBy, Field } from '../../components/field.tsx'
import { PostForm } from '../../components/post-form.tsx'
import { useAct } from '../../components/use-act.ts'
import { calls } from '#in-browser/islands/classcords/calls.ts'
import { recall, remember } from '#in-browser/storage.ts'
import { serverHref } from './server-text.ts'

const help = 'Managers see this. You can report a server once a day.'

interface ReportFormProps {
  server: Pick<DiscordServer, 'id'>
  context: Pick<PageContext, 'csrf_token' | 'user'>
  /** The errors if it was submitted as a plain form and refused; otherwise null. */
  refused?: ServerProps['refused_report']
}

const isText = (value: unknown): value is string => typeof value === 'string'

/**
 * Reports a server to the managers. Without scripts it is sent as a form to a page of its own. What was typed outlives
 * the dialog around it, in this tab.
 */
export function ReportForm({ server, context, refused = null }: ReportFormProps) {
  const [reason, setReason] = useState(refused?.reason ?? '')
  const [isMissing, setMissing] = useState(false)
  const [confirmation, setConfirmation] = useState('')
  const { busy, errors, act } = useAct()
  const [formErrors, setFormErrors] = useState(refused?.errors ?? [])
  // One key per user, because people may share a browser.
  const kept = `classcords:report:${context.user.discord_user?.discord_id ?? ''}:${server.id}`
  useEffect(() => {
    const typed = recall('session', kept, isText)
    if (typed !== null) setReason(typed)
  }, [kept])
  const error = isMissing && reason.trim() === '' ? 'Say what is wrong.' : ''

  function change(typed: string): void {
    setReason(typed)
    remember('session', kept, typed === '' ? null : typed)
  }

  function report(event: FormEvent): void {
    event.preventDefault()
    setMissing(true)
    setFormErrors([])
    if (reason.trim() === '') return document.getElementById('report-reason')?.focus()
    act(async () => {
      setConfirmation((await calls.report(server.id, reason.trim())).message)
      remember('session', kept, null)
    })
  }

  return (
    <details open={refused !== null || undefined}>
      <summary className="small">Report this server</summary>
      <div className="stack stack-small" role="status">
        {confirmation !== '' && <p className="message message-success message-text">{confirmation}</p>}
      </div>
      {confirmation === '' && (
        <PostForm
          context={context}
          className="stack stack-small"
          action={`${serverHref(server)}report/`}
          onSubmit={report}
        >
          <ErrorSummary errors={[...formErrors, ...errors]} />
          <Field id="report-reason" label="What is wrong with it?" help={help} error={error}>
            <textarea
              id="report-reason"
              name="reason"
              className="input"
              maxLength={MAX_REPORT_LENGTH}
              value={reason}
              aria-invalid={error !== '' || undefined}
              aria-describedby={describedBy('report-reason', help, error)}
              onChange={(event) => change(event.target.value)}
            />
          </Field>
          <div>
            <Button type="submit" busy={busy}>
              Send report
            </Button>
          </div>
        </PostForm>
      )}
    </details>
  )
}
