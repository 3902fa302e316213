import { useEffect, useRef } from 'react'

export interface SummaryError {
  message: string
  /** The id of the field it is about, which the line links to. */
  fieldId?: string
}

interface ErrorSummaryProps {
  id?: string
  heading?: string
  /** A plain sentence is not about a particular field. */
  errors: readonly (SummaryError | string)[]
  focus?: boolean
}

/** The errors of a form, shown above it. Takes the focus when it appears (`focus`). */
export function ErrorSummary({ id, heading = 'There is a problem', errors, focus = false }: ErrorSummaryProps) {
  const box = useRef<HTMLDivElement>(null)
  const lines = errors.map((error) => (typeof error === 'string' ? { message: error } : error))
  const text = lines.map(({ message }) => message).join('\n')
  useEffect(() => {
    if (focus && text !== '') box.current?.focus()
  }, [focus, text])
  if (lines.length === 0) return null
  return (
    <div className="error-summary" id={id} role="alert" tabIndex={-1} ref={box}>
      <p className="strong">{heading}</p>
      <ul>
        {lines.map(({ message, fieldId }, index) => (
          <li key={index}>{fieldId === undefined ? message : <a href={`#${fieldId}`}>{message}</a>}</li>
        ))}
      </ul>
    </div>
  )
}
