import type { ReactNode } from 'react'
import { Drawing, Icon, type IconName } from './icon.tsx'

/** Icons that no island uses, so browsers do not have to load them. */
export const drawings = {
  book: 'M10 5.5C8.5 4.3 6 4 3 4v11c3 0 5.5.3 7 1.5 1.5-1.2 4-1.5 7-1.5V4c-3 0-5.5.3-7 1.5ZM10 5.5v11',
  link: 'M8.5 11.5a3.2 3.2 0 0 0 4.6 0l2.6-2.6a3.2 3.2 0 0 0-4.6-4.6l-.9.9M11.5 8.5a3.2 3.2 0 0 0-4.6 0l-2.6 2.6a3.2 3.2 0 0 0 4.6 4.6l.9-.9',
} as const
type CardIcon = IconName | keyof typeof drawings

function isDrawnHere(icon: CardIcon): icon is keyof typeof drawings {
  return icon in drawings
}

interface CardLinkProps {
  href: string
  icon: CardIcon
  title: string
  children: ReactNode
}

export function CardLink({ href, icon, title, children }: CardLinkProps) {
  return (
    <div className="card card-link">
      {isDrawnHere(icon) ? <Drawing path={drawings[icon]} size={24} /> : <Icon name={icon} size={24} />}
      <h2>
        <a href={href}>{title}</a>
      </h2>
      <p className="muted small">{children}</p>
      <Icon name="next" size={16} />
    </div>
  )
}
