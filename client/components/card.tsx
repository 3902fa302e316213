import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

/** A surface with one subject. */
export function Card({ children, label }: { children: ReactNode; label?: string }) {
  return (
    <section className="card" aria-label={label}>
      {children}
    </section>
  )
}

/** A card that leads somewhere: all of it is the link. */
export function CardLink({
  href,
  icon,
  title,
  children,
}: {
  href: string
  icon: IconName
  title: string
  children: ReactNode
}) {
  return (
    <div className="card card-link">
      <Icon name={icon} size={24} />
      <h2>
        <a href={href}>{title}</a>
      </h2>
      <p className="muted small">{children}</p>
    </div>
  )
}
