import { expect } from 'vitest'
import { expectNotFaster } from './durations.ts'
import { addUser, type Seen, Visitor } from './visitor.ts'

/** A form that asks for an email address, and what an answer to it shows. */
interface AddressForm {
  path: string
  /** The page after the form, without what differs for every visitor. */
  masked: (page: Seen, email: string) => string
  /** What the visitor can find out afterwards. */
  afterwards?: (visitor: Visitor) => Promise<unknown>
}

/**
 * Expects a form to answer the same, in the same time, for an address without an account as for one with an account.
 * @returns the last address without an account
 */
export async function expectSameForUnknown({ path, masked, afterwards }: AddressForm): Promise<string> {
  const play = async (email: string) => {
    const visitor = new Visitor()
    await visitor.see(path)
    const startedAt = performance.now()
    const response = await visitor.submit(path, { email })
    const time = performance.now() - startedAt
    const location = response.headers.get('location') ?? ''
    const shown = masked(await visitor.see(location), email)
    return {
      time,
      answer: [response.status, location, [...response.headers.keys()], shown, await afterwards?.(visitor)],
    }
  }
  const { answer: expected } = await play((await addUser()).email)
  const timeOf = async (email: string) => {
    const { time, answer } = await play(email)
    expect(answer).toEqual(expected)
    return time
  }
  let nobody = ''
  await expectNotFaster(
    async () => timeOf((nobody = `nobody-${(await addUser()).email}`)),
    // In another spelling than it is stored in: the answer must not show the stored one.
    async () => timeOf((await addUser()).email.toUpperCase()),
  )
  return nobody
}
