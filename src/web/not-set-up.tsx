import type { MissingPart } from './set-up.ts'

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
