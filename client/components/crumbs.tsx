export interface Crumb {
  label: string
  href: string
}

/** Links up from a page. */
export function Crumbs({ steps }: { steps: readonly Crumb[] }) {
  if (steps.length === 0) return null
  return (
    <nav className="small" aria-label="Breadcrumb">
      <ol className="crumbs">
        {steps.map(({ label, href }) => (
          <li key={href}>
            <a href={href}>{label}</a>
          </li>
        ))}
      </ol>
    </nav>
  )
}
