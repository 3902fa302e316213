import { Button, LinkButton } from '../../../client/components/button.tsx'
import { describedBy, Field } from '../../../client/components/field.tsx'
import type { DeadEnd } from '../refusal.ts'
import type { MissingPart } from '../set-up.ts'

/** Rows of a lecture hall with one seat missing. Decorative. */
export function MissingSeat() {
  return (
    <svg className="missing-seat" width="232" height="84" viewBox="0 -8 232 84" aria-hidden="true">
      <g fill="none" strokeWidth="13" strokeLinecap="round" strokeDasharray=".4 .6">
        <path pathLength="7.4" d="M8 37A182 182 0 0 1 224 37" />
        <path pathLength="6.4" d="M24 66A152 152 0 0 1 208 66" />
      </g>
      <circle cx="116" cy="35" r="17" />
      <circle className="missing" cx="116" cy="35" r="10" fill="none" strokeWidth="2" strokeDasharray="4 4" />
    </svg>
  )
}

/** Says what happened, with the one field that helps. Needs no script. */
export function DeadEndPage({ title, form, messages }: DeadEnd & { messages: readonly string[] }) {
  const { action, name, label, help, button } = form
  return (
    <section className="narrow stack single">
      <MissingSeat />
      <h1>{title}</h1>
      {messages.map((message) => (
        <p key={message}>{message}</p>
      ))}
      <form className="stack" action={action}>
        <Field id="asked" label={label} help={help}>
          <input
            id="asked"
            className="input"
            name={name}
            required
            maxLength={200}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            aria-describedby={describedBy('asked', help, '')}
          />
        </Field>
        <Button kind="primary" type="submit" wide large>
          {button}
        </Button>
      </form>
      <LinkButton kind="quiet" href="/">
        Home
      </LinkButton>
    </section>
  )
}

/** The page of an instance that lacks something required: says what is missing, with the commands that provide it. */
export function NotSetUpPage({ title, missing }: { title: string; missing: readonly MissingPart[] }) {
  return (
    <section className="medium stack stack-large">
      <div className="stack stack-small">
        <h1>{title}</h1>
        <p className="muted">This site works as soon as the person who runs it has done the following.</p>
      </div>
      {missing.map(({ what, local, deployed }) => (
        <section className="stack stack-small" key={what}>
          <h2>{what}</h2>
          <p>On your own computer:</p>
          <pre className="code">{local}</pre>
          <p>For a deployed instance:</p>
          <pre className="code">{deployed}</pre>
        </section>
      ))}
    </section>
  )
}
