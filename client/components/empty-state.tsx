import type { ReactNode } from 'react'

/** An empty list: what it would contain, why it is empty, and the next act. `small` is for one inside a card. */
export function EmptyState({
  title,
  small = false,
  children,
}: {
  title: string
  small?: boolean
  children?: ReactNode
}) {
  return (
    <div className={small ? 'empty empty-small' : 'empty'}>
      {small ? <p>{title}</p> : <h2>{title}</h2>}
      {children}
    </div>
  )
}
