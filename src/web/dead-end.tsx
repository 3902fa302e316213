import { Button, LinkButton } from '../../client/components/button.tsx'
import { describedBy, Field } from '../../client/components/field.tsx'
import { MissingSeat } from './missing-seat.tsx'
import type { DeadEnd } from './refusal.ts'

/** Says what happened, with the one field that helps. Needs no script. */
export function DeadEndPage({ title, ask, messages }: DeadEnd & { messages: readonly string[] }) {
  const { action, name, label, help, button } = ask
  return (
    <section className="narrow stack single lost">
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
