import type { ReactNode } from 'react'
import type { Health, JobRow } from '../../../src/scheduler/contract.ts'
import type { PageContext } from '../../../src/web/contract.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { PostForm } from '../../components/post-form.tsx'
import { counted } from '../../components/count-text.ts'
import { jobActionAddress, jobAddress } from './addresses.ts'
import { Moment } from './moment.tsx'
import { taskTitle } from './texts.ts'

interface FailureProps {
  name: string
  href: string
  about: string
  error: string
  when: ReactNode
  /** The button or link that helps. */
  children: ReactNode
}

/** What failed, the first line of its error, and what helps. */
function Failure({ name, href, about, error, when, children }: FailureProps) {
  return (
    <li className="failure" data-row>
      <span className="callable">
        <a className="strong" href={href}>
          {name}
        </a>{' '}
        <span className="muted">{about}</span>
      </span>
      <span className="first-line break" title={error}>
        {error.split('\n', 1)[0]}
      </span>
      <span className="muted failure-about">{when}</span>
      {children}
    </li>
  )
}

interface FailuresProps {
  failures: readonly JobRow[]
  sources: Health['unhealthy']
  context: PageContext
}

/** The sources that do not answer, then the newest failed jobs. */
export function Failures({ failures, sources, context }: FailuresProps) {
  if (failures.length + sources.length === 0) return null
  return (
    <section className="stack stack-small" aria-labelledby="failures">
      <h2 id="failures">Recent failures</h2>
      <ul>
        {sources.map(({ id, name, error, since }) => (
          <Failure
            key={id}
            name={name}
            href={`/admin/sources/${id}/`}
            about="source"
            error={error}
            when={
              <>
                {since === null ? 'Never read' : 'Last read '}
                {since !== null && <Moment at={since} timeZone={context.time_zone} />}
              </>
            }
          >
            <LinkButton href="/class_tracker/manage_course_list/">View source</LinkButton>
          </Failure>
        ))}
        {failures.map(({ name, task, queue, attempt, error, ended_at: at }) => (
          <Failure
            key={name}
            name={taskTitle(task)}
            href={jobAddress(name)}
            about={[task, queue, ...(attempt > 1 ? [counted(attempt, 'attempt')] : [])].join(' · ')}
            error={error ?? 'No reason given.'}
            when={<Moment at={at} timeZone={context.time_zone} />}
          >
            <PostForm context={context} action={jobActionAddress(name, 'requeue')}>
              <Button type="submit" aria-label={`Requeue ${task} ${name}`}>
                Requeue
              </Button>
            </PostForm>
          </Failure>
        ))}
      </ul>
    </section>
  )
}
