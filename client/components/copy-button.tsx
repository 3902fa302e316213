import { useEffect, useState } from 'react'
import { Button } from './button.tsx'

const CONFIRMATION_MS = 2000
type Copying = 'ready' | 'copied' | 'failed'

const words: Record<Exclude<Copying, 'ready'>, string> = { copied: 'Copied', failed: 'Not copied' }

interface CopyButtonProps {
  text: string
  /** Tells screen readers what is copied. */
  subject: string
  label?: string
  /** Shows only the icon, beside a more important button. */
  iconOnly?: boolean
}

/** Outside of the component: a new function at each render would take the focus each time. */
function selectAll(field: HTMLInputElement | null): void {
  field?.focus()
  field?.select()
}

/** Copies the text and says so for 2 seconds. If the browser refuses, it shows the text selected instead. */
export function CopyButton({ text, subject, label = 'Copy', iconOnly = false }: CopyButtonProps) {
  const [copying, setCopying] = useState<Copying>('ready')
  useEffect(() => {
    // A failure stays: its text is shown so that it can be copied by hand.
    if (copying !== 'copied') return
    const timer = setTimeout(() => setCopying('ready'), CONFIRMATION_MS)
    return () => clearTimeout(timer)
  }, [copying])

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text)
      setCopying('copied')
    } catch {
      setCopying('failed')
    }
  }

  return (
    <>
      <Button
        icon={copying === 'copied' ? 'check' : 'copy'}
        kind={iconOnly ? 'quiet' : 'plain'}
        iconOnly={iconOnly}
        onClick={() => void copy()}
      >
        {copying === 'ready' ? label : words[copying]}
        <span className="hidden-visually"> {subject}</span>
      </Button>
      <span className="hidden-visually" role="status">
        {copying === 'copied' && 'Copied to clipboard.'}
        {copying === 'failed' && 'Your browser did not allow copying. The text is selected: copy it yourself.'}
      </span>
      {copying === 'failed' && <input className="input" aria-label={subject} readOnly value={text} ref={selectAll} />}
    </>
  )
}
