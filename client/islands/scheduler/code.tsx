/** A text as a program wrote it. It breaks where it must, so that nothing has to be scrolled sideways. */
export function Code({ title, text, danger = false }: { title: string; text: string; danger?: boolean }) {
  return (
    <section className="card card-body stack stack-small" aria-label={title}>
      <h2>{title}</h2>
      <pre className={danger ? 'code code-danger' : 'code'}>{text}</pre>
    </section>
  )
}
