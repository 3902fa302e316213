import type { ReactNode } from 'react'

export function Head({
  crumbs,
  title,
  count,
  about,
  children,
}: {
  /** What is above the page within the admin, which the bar at the top names. */
  crumbs: readonly { label: string; href: string }[]
  title: string
  /** Of its rows. */
  count?: string | undefined
  about?: string | undefined
  children?: ReactNode
}) {
  return (
    <header className="admin-head">
      {crumbs.length === 0 ? null : (
        <nav aria-label="Path" className="small">
          <ol className="crumbs">
            {crumbs.map(({ label, href }) => (
              <li key={href}>
                <a href={href}>{label}</a>
              </li>
            ))}
          </ol>
        </nav>
      )}
      <div className="admin-title">
        <div>
          <div className="row">
            <h1 className="break">{title}</h1>
            {count === undefined ? null : <span className="muted numbers">{count}</span>}
          </div>
          {about === undefined ? null : <p className="muted meta">{about}</p>}
        </div>
        {children === undefined ? null : <div className="row">{children}</div>}
      </div>
    </header>
  )
}
