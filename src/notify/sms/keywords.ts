/**
 * The single words that Twilio itself acts on for long codes by default ("Customize users' opt-in and opt-out
 * experience" and "Twilio support for opt-out keywords" in its documentation). Twilio still hands them to the webhook.
 */
const STOP_WORDS = new Set(['STOP', 'STOPALL', 'UNSUBSCRIBE', 'END', 'QUIT', 'REVOKE', 'OPTOUT', 'CANCEL'])
const START_WORDS = new Set(['START', 'YES', 'UNSTOP'])
const HELP_WORDS = new Set(['HELP', 'INFO'])

export type SmsKeyword = 'stop' | 'start' | 'help'

/**
 * What a reply asks for, when the whole of it is one keyword in any case. A stop word is also recognized with spaces
 * and punctuation around or inside it ('Stop.', 'STOP ALL', 'opt-out'), so that a wish to opt out is never missed
 * because of its spelling. Opting in again and help need the exact word.
 */
export function smsKeyword(body: string): SmsKeyword | null {
  const word = body.trim().toUpperCase()
  if (START_WORDS.has(word)) return 'start'
  if (HELP_WORDS.has(word)) return 'help'
  return STOP_WORDS.has(word.replace(/[^\p{L}\p{N}]/gu, '')) ? 'stop' : null
}
