import { write } from '../db/query.ts'
import type { Message } from '../lib/contract.ts'
import { orWarn } from '../lib/fallbacks.ts'
import { withTimeout } from '../lib/time.ts'
import { actorOf, type AuditEntry, auditEntry } from '../web/audit.ts'
import { flash } from '../web/session/flash.ts'
import { conflict } from '../web/refusal.ts'
import type { SiteContext } from '../web/site.ts'
import { wantsJson } from '../web/wants-json.ts'

/** The result of an action, for the person who asked for it. */
export interface ActAnswer {
  messages: readonly Message[]
  /** The page to go on to. */
  url: string
}

/** Answers a form with a redirect, a call with JSON. @throws conflict when a call was refused */
export function answerAct(c: SiteContext, { messages, url }: ActAnswer): Response {
  if (wantsJson(c)) {
    const errors = messages.filter(({ level_tag }) => level_tag === 'error')
    if (errors.length > 0) throw conflict(...errors.map(({ message }) => message))
    return c.json({ messages, url })
  }
  for (const { level_tag, message } of messages) flash(c, level_tag, message)
  return c.redirect(url, 303)
}

/** Audits an action that has been performed. If that fails, the action still succeeded, and its ledger's audit has it. */
export async function noteAct(c: SiteContext, entry: Omit<AuditEntry, 'area'>): Promise<void> {
  const noted = write(c.env.DB, auditEntry(actorOf(c), { ...entry, area: 'scheduler' }, Date.now()))
  await orWarn(withTimeout(noted), { event: 'act_not_audited', act: entry.act, key: entry.key }, null)
}
