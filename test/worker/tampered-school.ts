import { vi } from 'vitest'

/**
 * Replaces the world's answers to some requests, wherever in the app they are made, until the returned function is
 * called.
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
