import { queuesAddress } from './addresses.ts'

/** Links up from a page: to the queues, and to the list that it belongs to. */
export function Breadcrumbs({ steps }: { steps: readonly { label: string; href: string }[] }) {
  return (
    <nav className="trail small" aria-label="Breadcrumb">
      <ol>
        {[{ label: 'Queues', href: queuesAddress }, ...steps].map(({ label, href }) => (
          <li key={href}>
            <a href={href}>{label}</a>
          </li>
        ))}
      </ol>
    </nav>
  )
}
