import { jobAddress } from '../../client/islands/scheduler/addresses.ts'
import { capital, counted } from '../lib/text.ts'
import { Button, LinkButton } from '../../client/components/button.tsx'
import { PostForm } from '../../client/components/post-form.tsx'
import type { PageContext } from '../web/contract.ts'
import { contextOf, showPage } from '../web/page/page.tsx'
import type { SiteContext } from '../web/site.ts'
import type { ConfirmProps } from './contract.ts'

interface Question {
  title: string
  question: string
  note: string
  post: string
  /** Whether the form contains the selected jobs; otherwise the URL says which are meant. */
  sendsNames: boolean
  /** What the form sends besides. */
  fields?: Readonly<Record<string, string>>
  props: ConfirmProps
}

/** How many names of a long selection are shown; the others are only sent. */
const MAX_LISTED = 20

/** "Pause", "Delete job", "Cancel jobs": emptying a list deletes its jobs. */
function buttonText({ action, job_names: names }: ConfirmProps): string {
  const verb = capital(action === 'empty' ? 'delete' : action)
  return names.length === 0 ? verb : `${verb} ${names.length === 1 ? 'job' : 'jobs'}`
}

function ConfirmPage({ question, context }: { question: Question; context: PageContext }) {
  const { action, job_names: names, next_url: next } = question.props
  const isDangerous = ['delete', 'empty', 'pause', 'save'].includes(action)
  return (
    <div className="medium stack scheduler">
      <h1>{question.question}</h1>
      <PostForm context={context} action={question.post} className="card card-body stack">
        <input type="hidden" name="action" value={action} />
        <input type="hidden" name="next_url" value={next} />
        {question.sendsNames
          ? names.map((name) => <input key={name} type="hidden" name="job_names" value={name} />)
          : null}
        {Object.entries(question.fields ?? {}).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        {question.note === '' ? null : <p className="muted">{question.note}</p>}
        {names.length === 0 ? null : (
          <ul className="small names">
            {names.slice(0, MAX_LISTED).map((name) => (
              <li key={name}>
                <a href={jobAddress(name)}>{name}</a>
              </li>
            ))}
          </ul>
        )}
        {names.length > MAX_LISTED ? <p>And {counted(names.length - MAX_LISTED, 'job')} more.</p> : null}
        <p className="row">
          <Button kind={isDangerous ? 'danger' : 'primary'} type="submit">
            {buttonText(question.props)}
          </Button>
          <LinkButton href={next}>Go back</LinkButton>
        </p>
      </PostForm>
    </div>
  )
}

/** The page that asks for confirmation. It needs no script. */
export function showConfirm(c: SiteContext, question: Question): Promise<Response> {
  const { title, props } = question
  const body = <ConfirmPage question={question} context={contextOf(c)} />
  return showPage(c, { page: 'ConfirmAction', title, props, body })
}
