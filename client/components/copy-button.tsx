import { useEffect, useState } from 'react'
import { Button } from './button.tsx'

const confirmationTime = 2000
type Copying = 'ready' | 'copied' | 'failed'

const words: Record<Copying, string> = { ready: 'Copy', copied: 'Copied', failed: 'Not copied' }

/** Copies the text, and says so for 2 seconds. `subject` names what is copied to those who do not see it. */
export function CopyButton({ text, subject }: { text: string; subject: string }) {
  const [copying, setCopying] = useState<Copying>('ready')
  useEffect(() => {
    if (copying === 'ready') return
    const timer = setTimeout(() => setCopying('ready'), confirmationTime)
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
      <Button icon={copying === 'copied' ? 'check' : 'copy'} onClick={() => void copy()}>
        {words[copying]}
        <span className="hidden-visually"> {subject}</span>
      </Button>
      <span className="hidden-visually" role="status">
        {copying === 'copied' && 'Copied to clipboard.'}
        {copying === 'failed' && 'Your browser did not allow copying.'}
      </span>
    </>
  )
}
