import type { SendOptions, SendOutcome, Tools } from './channel.ts'
import { ask } from './http.ts'
import type { Answer } from './http.ts'
import { ambiguous, refused } from './outcome.ts'

interface PostRequest {
  url: string
  headers: Record<string, string>
  body: string | Uint8Array
  /** The timeout of the whole exchange, ms. */
  timeoutMs: number
}

/** Posts a message to a provider; `read` says what an answer means. Without an answer the message is unconfirmed. */
export async function post(
  tools: Tools,
  { url, headers, body, timeoutMs }: PostRequest,
  options: SendOptions | undefined,
  read: (answer: Answer) => SendOutcome,
): Promise<SendOutcome> {
  const init = { method: 'POST', headers: { accept: 'application/json', ...headers }, body } as const
  const answer = await ask(tools, url, init, timeoutMs, options)
  if (answer.kind === 'not_sent') return refused(answer.reason)
  return answer.kind === 'no_answer' ? ambiguous(answer.reason) : read(answer)
}
