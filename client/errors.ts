/** A call that the server refused or that never arrived. `messages` can be shown to people as they are. */
export class CallError extends Error {
  readonly messages: readonly string[]
  /** The HTTP status; 0 if there was no answer. */
  readonly status: number

  constructor(messages: readonly string[], status: number) {
    super(messages.join('\n'))
    this.name = 'CallError'
    this.messages = messages
    this.status = status
  }
}

export const unexpected = 'An unexpected error occurred'

/** The messages in the body of an error response: an array, or an object's `detail`. */
export function messagesInBody(body: unknown): string[] {
  if (Array.isArray(body)) {
    const messages = body.filter((message) => typeof message === 'string' && message.trim() !== '')
    return messages.length > 0 ? messages : [unexpected]
  }
  if (typeof body === 'object' && body !== null && 'detail' in body) {
    if (typeof body.detail === 'string' && body.detail.trim() !== '') return [body.detail]
    if (Array.isArray(body.detail)) return messagesInBody(body.detail)
  }
  return [unexpected]
}

/** The messages of anything thrown. */
export function messagesOf(error: unknown): string[] {
  if (error instanceof CallError) return [...error.messages]
  if (error instanceof Error && error.message !== '') return [error.message]
  return [unexpected]
}
