import { isSigned, signatureOf } from '../../web/signing.ts'

/**
 * The token of a row, `{id}.{signature}`. The signature covers `text`, which must tell the row from an earlier one of
 * the same id, because ids are reused.
 */
export async function signedId(env: Env, purpose: string, { id, text }: { id: number; text: string }): Promise<string> {
  return `${id}.${await signatureOf(env, purpose, text)}`
}

/** The id in a token, or null if it is not a token. Believe it only after {@link isSignedId}. */
export function idIn(token: string): number | null {
  const [, id] = /^([1-9]\d{0,14})\.[\w-]{43}$/.exec(token) ?? []
  return id === undefined ? null : Number(id)
}

/** Whether the token was made for this purpose and text. */
export function isSignedId(env: Env, purpose: string, token: string, text: string): Promise<boolean> {
  return isSigned(env, purpose, text, token.slice(token.indexOf('.') + 1))
}
