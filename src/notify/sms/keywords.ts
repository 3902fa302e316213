/**
 * The single words that Twilio itself acts on for long codes by default ("Customize users' opt-in and opt-out
 * experience" and "Twilio support for opt-out keywords" in its documentation). Twilio still hands them to the webhook.
 */
const STOP_WORDS = new Set(['STOP', 'STOPALL', 'UNSUBSCRIBE', 'END', 'QUIT', 'REVOKE', 'OPTOUT', 'CANCEL'])
const START_WORDS = new Set(['START', 'YES', 'UNSTOP'])
const HELP_WORDS = new Set(['HELP', 'INFO'])

export type SmsKeyword = 'stop' | 'start' | 'help'

/**
 * What a reply asks for, when the whole of it is one keyword in any case. A stop word is also taken with spaces and
 * marks around or inside it ('Stop.', 'STOP ALL', 'opt-out'): a wish to be left alone is never missed for its
 * spelling. Coming back and help take the exact word.
 */
export function smsKeyword(body: string): SmsKeyword | null {
  const word = body.trim().toUpperCase()
  if (START_WORDS.has(word)) return 'start'
  if (HELP_WORDS.has(word)) return 'help'
  return STOP_WORDS.has(word.replace(/[^\p{L}\p{N}]/gu, '')) ? 'stop' : null
}
