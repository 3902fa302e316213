import { auditAddress, queuesAddress, workersAddress } from './addresses.ts'

const places = [
  { name: 'queues', href: queuesAddress, label: 'Queues' },
  { name: 'workers', href: workersAddress, label: 'Workers' },
  { name: 'audit', href: auditAddress, label: 'Who did what' },
] as const

/** The ways between the scheduler's pages. */
export function Places({ current }: { current: (typeof places)[number]['name'] | null }) {
  return (
    <nav className="places" aria-label="Scheduler">
      {places.map(({ name, href, label }) => (
        <a key={name} href={href} aria-current={name === current ? 'page' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  )
}
