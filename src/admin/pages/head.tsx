import type { ReactNode } from 'react'
import { type Crumb, Crumbs } from '../../../client/components/crumbs.tsx'

export function Head({
  crumbs,
  title,
  count,
  about,
  children,
}: {
  /** What is above the page within the admin, which the bar at the top names. */
  crumbs: readonly Crumb[]
  title: string
  /** Of its rows. */
  count?: string | undefined
  about?: string | undefined
  children?: ReactNode
}) {
  return (
    <header className="admin-head">
      <Crumbs steps={crumbs} />
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
