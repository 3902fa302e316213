import type { SmsKeyword } from '../../notify/sms/keywords.ts'
import { optIn, optOut } from './opt-out.ts'

/** Twilio itself answers STOP and START; a second answer from us would only be noise. */
const help =
  '<Message>Class Cords: you get a text when a seat opens in a class watched for you. Reply STOP to opt out, START to opt in again.</Message>'

/** A subscriber's number, E.164: short codes and words send texts too, and can be nobody's contact. */
const number = /^\+[1-9]\d{6,14}$/

/**
 * Does what a person's reply asks for. Twilio blocks a number after STOP by itself; this is our own record of it, so that
 * nothing is tried and staff can see it. A number that is nobody's contact (any more) is heard as well.
 * @param from the phone, E.164
 * @returns what goes into the TwiML answer
 */
export async function obeyReply(db: D1Database, from: string, keyword: SmsKeyword, now: number): Promise<string> {
  if (keyword === 'help') return help
  if (!number.test(from)) return ''
  const phone = { kind: 'phone', address_key: from } as const
  if (keyword === 'stop') await optOut(db, phone, now)
  else await optIn(db, phone)
  return ''
}
