import { Button, LinkButton } from '../../../client/components/button.tsx'
import { ErrorSummary } from '../../../client/components/error-summary.tsx'
import { MessageBox } from '../../../client/components/message-box.tsx'
import { PostForm } from '../../../client/components/post-form.tsx'
import type { PageContext } from '../../web/contract.ts'
import type { Control } from '../row/form-state.ts'
import { zoneField } from '../zone-time.ts'
import type { Affected } from '../row/remove-rows.ts'
import type { Table } from '../table.ts'
import { actPath, listPath } from '../table-parts.ts'
import { capital } from '../../lib/text.ts'
import { countText } from '../../../client/components/count-text.ts'
import { ControlField } from './control.tsx'
import { Head } from './head.tsx'

export interface ConfirmPageProps {
  context: PageContext
  table: Table
  title: string
  question: string
  rows: readonly string[]
  /** Effects that are easily overlooked, in sentences. */
  warnings?: readonly string[]
  affected: readonly Affected[]
  controls: readonly Control[]
  errors: readonly { message: string; fieldId?: string }[]
  hidden: readonly (readonly [string, string])[]
  submit: string
  isDangerous: boolean
  back: string
}

/** Asks for confirmation, listing everything that the action affects. */
export function ConfirmPage(props: ConfirmPageProps) {
  const { context, table, affected, controls } = props
  const wrong = props.errors.find(({ fieldId }) => fieldId !== undefined)?.fieldId
  return (
    <div className="stack admin medium">
      <Head crumbs={[{ label: table.labels, href: listPath(table) }]} title={props.title} />
      <ErrorSummary errors={props.errors} />
      <PostForm context={context} className="card card-body stack" action={actPath(table)} noValidate>
        <input type="hidden" name={zoneField} value={context.time_zone} />
        {props.hidden.map(([name, value]) => (
          <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
        ))}
        <p>{props.question}</p>
        <ul className="named-rows small break">
          {props.rows.map((row, index) => (
            <li key={index}>{row}</li>
          ))}
        </ul>
        {props.warnings?.map((warning) => (
          <MessageBox key={warning} tone="warning">
            {warning}
          </MessageBox>
        ))}
        <AffectedRows heading="Also deletes:" affected={affected.filter(isDeleted)} />
        <AffectedRows heading="Also affects:" affected={affected.filter((one) => !isDeleted(one))} />
        {controls.map((control) => (
          <ControlField
            key={control.name}
            control={control}
            timeZone={context.time_zone}
            autoFocus={control.name === wrong}
          />
        ))}
        <div className="row">
          <Button kind={props.isDangerous ? 'danger' : 'primary'} type="submit">
            {props.submit}
          </Button>
          <LinkButton kind="quiet" href={props.back}>
            Cancel
          </LinkButton>
        </div>
      </PostForm>
    </div>
  )
}

const isDeleted = ({ effect }: Affected): boolean => effect.startsWith('deleted')

function AffectedRows({ heading, affected }: { heading: string; affected: readonly Affected[] }) {
  if (affected.length === 0) return null
  return (
    <section className="stack stack-small">
      <h2>{heading}</h2>
      <ul className="stack stack-small">
        {affected.map(({ label, effect, count, isMore, examples }) => (
          <li key={label}>
            <span className="strong numbers">
              {capital(label)}: {countText(count)}
              {isMore ? '+' : ''}
            </span>
            {effect === 'deleted' ? '' : `, ${effect}`}
            <p className="small muted break">
              {examples.join(' · ')}
              {count > examples.length ? ' …' : ''}
            </p>
          </li>
        ))}
      </ul>
    </section>
  )
}
