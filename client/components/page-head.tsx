import type { ReactNode } from 'react'

interface PageHeadProps {
  /** Links above the title. */
  above?: ReactNode
  title: ReactNode
  /** A sentence below the title. */
  about?: ReactNode
  /** Beside the title: the state of the page, and its actions. */
  children?: ReactNode
}

export function PageHead({ above, title, about, children }: PageHeadProps) {
  return (
    <div className="page-head">
      <div>
        {above}
        <h1>{title}</h1>
        {about && <p>{about}</p>}
      </div>
      {children}
    </div>
  )
}
