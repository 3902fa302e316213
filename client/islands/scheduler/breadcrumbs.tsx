import { queuesAddress } from './addresses.ts'

/** The way back up from a page: the queues, and the list it belongs to. */
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
