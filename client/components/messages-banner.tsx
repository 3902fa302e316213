import type { Message } from '../../src/lib/contract.ts'
import { Icon } from './icon.tsx'
import { toneIcons, type Tone } from './message-box.tsx'

/** How a message's level is shown: error as danger, debug as information. */
export function toneOf(level: Message['level_tag']): Tone {
  if (level === 'error') return 'danger'
  return level === 'debug' ? 'info' : level
}

/** A message whose addresses are replaced by links to the pages they name. */
function MessageText({ message, links = [] }: Message) {
  const [first] = links
  const at = first === undefined ? -1 : message.indexOf(`${first.text} (${first.href})`)
  if (at < 0) return message
  return (
    <>
      {message.slice(0, at)}
      {links.map(({ text, href }, index) => (
        <span key={href}>
          {index > 0 && ', '}
          <a href={href} target="_blank" rel="noopener nofollow">
            <bdi>{text}</bdi>
          </a>
        </span>
      ))}
    </>
  )
}

/** The server's messages: open dialogs with a form of method `dialog`, so that dismissing one needs no script. */
export function MessagesBanner({ messages }: { messages: readonly Message[] }) {
  if (messages.length === 0) return null
  return (
    <section className="messages" aria-label="Messages">
      {messages.map((message, index) => (
        <dialog
          key={index}
          open
          className={`message message-${toneOf(message.level_tag)}`}
          aria-label={`Message ${index + 1}`}
        >
          <Icon name={toneIcons[toneOf(message.level_tag)]} size={16} />
          <p className="message-text" role={message.level_tag === 'error' ? 'alert' : 'status'}>
            <MessageText {...message} />
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
