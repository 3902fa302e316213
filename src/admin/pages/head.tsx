import type { ReactNode } from 'react'

interface Crumb {
  label: string
  href: string
}

/** Breadcrumbs, the heading, and what can be done from here. */
export function Head({
  crumbs,
  title,
  about,
  children,
}: {
  crumbs: readonly Crumb[]
  title: string
  about?: string | undefined
  children?: ReactNode
}) {
  return (
    <header className="admin-head">
      <nav aria-label="Path" className="small">
        <ol className="crumbs">
          {crumbs.map(({ label, href }) => (
            <li key={href}>
              <a href={href}>{label}</a>
            </li>
          ))}
        </ol>
      </nav>
      <div className="admin-title">
        <div>
          <h1 className="break">{title}</h1>
          {about === undefined ? null : <p className="muted meta">{about}</p>}
        </div>
        {children === undefined ? null : <div className="row">{children}</div>}
      </div>
    </header>
  )
}

export const adminCrumb: Crumb = { label: 'Admin', href: '/admin/' }
