import type { SmsKeyword } from '../../notify/sms/keywords.ts'
import { optIn, optOut } from './opt-out.ts'

/** Twilio itself answers STOP and START; a second answer from us would only be noise. */
const help =
  '<Message>Class Cords: you get a text when a seat opens in a class watched for you. Reply STOP to opt out, START to opt in again.</Message>'

/**
 * Does what a person's reply asks for. Twilio blocks a number after STOP by itself; this is our own record of it, so that
 * nothing is tried and staff can see it.
 * @param from the phone, E.164
 * @returns what goes into the TwiML answer
 */
export async function obeyReply(db: D1Database, from: string, keyword: SmsKeyword, now: number): Promise<string> {
  if (keyword === 'help') return help
  const id = await db
    .prepare(`SELECT id FROM contact WHERE kind = 'phone' AND address_key = ?`)
    .bind(from)
    .first<number>('id')
  if (id === null) return ''
  if (keyword === 'stop') await optOut(db, id, now)
  else await optIn(db, id)
  return ''
}
