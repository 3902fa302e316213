/**
 * The single words that Twilio itself acts on for long codes by default ("Customize users' opt-in and opt-out
 * experience" and "Twilio support for opt-out keywords" in its documentation), and the usual ones in Spanish and French.
 * Twilio still hands them to the webhook.
 */
const STOP_WORDS = new Set(
  'STOP STOPALL UNSUBSCRIBE END QUIT REVOKE OPTOUT CANCEL ALTO PARAR PARE CANCELAR ARRET ARRETE ARRETEZ'.split(' '),
)
/** Words that leave a wish to stop what it is. */
const AROUND_STOP = new Set(
  'PLEASE PLS PLZ THANKS THANK YOU NOW ALL IT THIS THAT THESE ME MY US SENDING TEXT TEXTS TEXTING MESSAGE MESSAGES MESSAGING ALERT ALERTS'.split(
    ' ',
  ),
)
const START_WORDS = new Set(['START', 'YES', 'UNSTOP'])
const HELP_WORDS = new Set(['HELP', 'INFO'])

export type SmsKeyword = 'stop' | 'start' | 'help'

/**
 * What a reply asks for, when the whole of it is one keyword in any case. A wish to stop must never be missed because of
 * its wording (47 CFR 64.1200(a)(10)), so spaces, punctuation and accents do not count ('Stop.', 'STOP ALL', 'opt-out'),
 * nor do words that change nothing about it ('stop please'). Opting in again and help need the exact word.
 */
export function smsKeyword(body: string): SmsKeyword | null {
  const word = body.trim().toUpperCase()
  if (START_WORDS.has(word)) return 'start'
  if (HELP_WORDS.has(word)) return 'help'
  const words = word
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
  const wishes = words.filter((one) => !AROUND_STOP.has(one))
  return STOP_WORDS.has(words.join('')) || STOP_WORDS.has(wishes.join('')) ? 'stop' : null
}
