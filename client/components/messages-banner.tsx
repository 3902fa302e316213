import type { Message } from '../../src/web/contract.ts'
import { Icon, type IconName } from './icon.tsx'

export type Tone = 'info' | 'success' | 'warning' | 'danger'

export const toneIcons: Record<Tone, IconName> = {
  info: 'info',
  success: 'check',
  warning: 'warning',
  danger: 'warning',
}

/** A message's level as it is shown: error is danger, debug is information. */
export function toneOf(level: Message['level_tag']): Tone {
  if (level === 'error') return 'danger'
  return level === 'debug' ? 'info' : level
}

/**
 * What the server had to say. Each message is an open `dialog` whose form has the method `dialog`:
 * the browser itself closes it, so dismissing needs no script.
 */
export function MessagesBanner({ messages }: { messages: readonly Message[] }) {
  if (messages.length === 0) return null
  return (
    <section className="messages" aria-label="Messages">
      {messages.map(({ level_tag: level, message }, index) => (
        <dialog key={index} open className={`message message-${toneOf(level)}`} aria-label={`Message ${index + 1}`}>
          <Icon name={toneIcons[toneOf(level)]} size={16} />
          <p className="message-text" role={level === 'error' ? 'alert' : 'status'}>
            {message}
          </p>
          <form method="dialog">
            <button type="submit" className="button button-quiet button-icon">
              <Icon name="close" />
              <span className="hidden-visually">Dismiss</span>
            </button>
          </form>
        </dialog>
      ))}
    </section>
  )
}
