import { vi } from 'vitest'

/**
 * Some requests get another answer than the world's, wherever in the app they are made: until the answer is given back
 * to the world with the function this returns.
 */
export function answerInstead(
  answer: (url: URL, real: () => Promise<Response>) => Promise<Response> | null,
): () => void {
  const { fetch } = globalThis
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input))
    return answer(url, () => fetch(input, init)) ?? fetch(input, init)
  })
  return () => spy.mockRestore()
}
