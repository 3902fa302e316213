import type { SendOutcome, Tools } from './channel.ts'
import { ask } from './http.ts'
import type { Answer } from './http.ts'
import { ambiguous } from './outcome.ts'

interface PostRequest {
  url: string
  headers: Record<string, string>
  body: string | Uint8Array
}

/** Posts a message to a provider; `read` says what an answer means. Without an answer the message is unconfirmed. */
export async function post(
  tools: Tools,
  { url, headers, body }: PostRequest,
  read: (answer: Answer) => SendOutcome,
): Promise<SendOutcome> {
  const init = { method: 'POST', headers: { accept: 'application/json', ...headers }, body } as const
  const answer = await ask(tools, url, init)
  return answer.kind === 'no_answer' ? ambiguous(answer.reason) : read(answer)
}
