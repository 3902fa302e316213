import type { ReactNode } from 'react'

interface FactsProps {
  facts: readonly (readonly [name: string, value: ReactNode])[]
  /** `facts-lined`: with hairlines; `facts-single`: in one column. Both for staff pages. */
  className?: string
}

export function Facts({ facts, className = '' }: FactsProps) {
  return (
    <dl className={`facts ${className}`}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
