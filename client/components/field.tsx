import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'

/** Connects a control to its help and error, with ids made from its own. */
export function describedBy(id: string, help: string, error: string): string | undefined {
  const ids = [...(help ? [`${id}-help`] : []), ...(error ? [`${id}-error`] : [])]
  return ids.length > 0 ? ids.join(' ') : undefined
}

interface FieldProps {
  /** The id of the control inside. */
  id: string
  label: ReactNode
  help?: string
  /** '' if the value is fine. */
  error?: string
  children: ReactNode
}

export function Field({ id, label, help = '', error = '', children }: FieldProps) {
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children}
      <FieldNotes id={id} help={help} error={error} />
    </div>
  )
}

export function FieldNotes({ id, help, error }: { id: string; help: string; error: string }) {
  return (
    <>
      {help && (
        <p className="field-help" id={`${id}-help`}>
          {help}
        </p>
      )}
      {error && (
        <p className="field-error" id={`${id}-error`}>
          <Icon name="warning" size={16} />
          {error}
        </p>
      )}
    </>
  )
}
