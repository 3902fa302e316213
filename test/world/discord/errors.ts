import { json, type Answer } from '../http.ts'

/** A refusal of Discord's REST interface: its own code beside the status. */
export function discordError(status: number, code: number, message: string): Answer {
  return json({ message, code }, status)
}

export const notFound = (): Answer => discordError(404, 0, '404: Not Found')
export const unauthorized = (): Answer => discordError(401, 0, '401: Unauthorized')
export const methodNotAllowed = (): Answer => discordError(405, 0, '405: Method Not Allowed')

/** A refusal of the token endpoint, in the words of RFC 6749 §5.2. */
export function oauthError(status: 400 | 401, error: string, description?: string): Answer {
  return json(description === undefined ? { error } : { error, error_description: description }, status)
}
