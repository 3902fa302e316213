import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { deleteOldAccountData } from '../../src/accounts/delete-old-account-data.ts'
import { enqueueMails, prepareMail } from '../../src/accounts/mails/prepare-mail.ts'
import { scheduleMail, sendAccountEmail } from '../../src/accounts/mails/send-account-email.ts'
import { statement, write } from '../../src/db/query.ts'
import { submitWith } from '../worker/account-people.ts'
import { silent } from '../worker/job-fixtures.ts'
import { runContext } from '../worker/job-context.ts'
import { addUser, goodPassword, Visitor } from '../worker/visitor.ts'
import { mailsTo } from '../worker/mailbox.ts'
import { forgetPacers } from '../worker/pacers.ts'
import { rows } from '../worker/rows.ts'
import { runJob, until, world } from '../worker/world.ts'

afterEach(() => world.clearFaults())

let count = 0
async function written(kind: 'password_changed' | 'sign_in_code' = 'password_changed') {
  const address = `mail${++count}@example.com`
  const mail = { subject: 'A Test', before: [`secret-${count}`], after: [] }
  const waiting = await prepareMail(env, { kind, address, userId: null, mail }, Date.now())
  await write(env.DB, waiting.statement)
  return { address, key: waiting.key, secret: `secret-${count}` }
}

const rowOf = (key: string) =>
  env.DB.prepare('SELECT state, attempts, sealed_body, last_error FROM mail WHERE idempotency_key = ?')
    .bind(key)
    .first<{ state: string; attempts: number; sealed_body: string | null; last_error: string | null }>()
const become = (key: string, state: string) =>
  until(
    () => rowOf(key),
    (row) => row?.state === state,
    `the mail being ${state}`,
  )
async function beDue(key: string): Promise<void> {
  await env.DB.prepare('UPDATE mail SET due_at = 0 WHERE idempotency_key = ?').bind(key).run()
  // No provider's pause is longer.
  await forgetPacers(['mail'])
}
const minute = () => Math.floor(Date.now() / 60_000 + 1) * 60_000

describe('an email', () => {
  it('that was stored but never queued is found by the cron, and its text is deleted once it is sent', async () => {
    const { address, key, secret } = await written()
    const before = await rowOf(key)
    expect(before?.state).toBe('queued')
    expect(before?.sealed_body).not.toContain(secret)
    await scheduleMail.plan(env, minute())
    expect(await become(key, 'sent')).toMatchObject({ attempts: 1, sealed_body: null })
    const [mail] = await mailsTo(address)
    expect(mail?.text).toContain(secret)
  })

  it('is not waited for while its ledger is silent', async () => {
    const warnings = vi.spyOn(console, 'warn').mockReturnValue()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const queueing = enqueueMails({ ...env, LEDGER: silent('alerts') }, [{ key: 'any', statement: statement(sql``) }])
      vi.advanceTimersByTime(10_000)
      await queueing
      expect(warnings.mock.calls).toMatchObject([[{ event: 'mail_not_queued' }]])
    } finally {
      vi.useRealTimers()
      warnings.mockRestore()
    }
  })

  it('is sent once, however often it is queued', async () => {
    const { address, key } = await written()
    await Promise.all(Array.from({ length: 5 }, () => scheduleMail.plan(env, minute())))
    await become(key, 'sent')
    await scheduleMail.plan(env, minute())
    expect(await mailsTo(address)).toHaveLength(1)
  })

  it.each(['http_500', 'http_429', 'reset', 'maintenance_html', 'accept_then_reset'])(
    'is sent once despite %s',
    async (mode) => {
      const { address, key } = await written()
      await world.fault('email', mode, 1)
      await scheduleMail.plan(env, minute())
      await until(
        () => rowOf(key),
        (row) => row?.state === 'queued' && row.last_error !== null,
        'a first try',
      )
      await beDue(key)
      await runJob(sendAccountEmail, { key })
      expect(await rowOf(key)).toMatchObject({
        state: 'sent',
        attempts: mode === 'http_429' ? 1 : 2,
        sealed_body: null,
      })
      expect(await mailsTo(address)).toHaveLength(1)
    },
  )

  it('that has expired is not sent', async () => {
    const { address, key } = await written('sign_in_code')
    await env.DB.prepare('UPDATE mail SET expires_at = expires_at - 180000 WHERE idempotency_key = ?').bind(key).run()
    await scheduleMail.plan(env, minute())
    expect(await become(key, 'expired')).toMatchObject({ sealed_body: null })
    expect(await mailsTo(address)).toEqual([])
  })

  it('that cannot be decrypted has failed', async () => {
    const { key } = await written()
    await env.DB.prepare(`UPDATE mail SET sealed_body = 'v1.x.y' WHERE idempotency_key = ?`).bind(key).run()
    await scheduleMail.plan(env, minute())
    expect(await become(key, 'failed')).toMatchObject({ sealed_body: null })
  })
})

describe('while limits cannot be checked', () => {
  const broken = {
    LIMITER: {
      idFromName: (name: string) => name,
      get: () => ({ take: () => Promise.reject(new Error('unreachable')) }),
    },
  }

  it.each<[string, Record<string, string>]>([
    [
      '/accounts/signup/',
      { email: 'a@example.com', username: 'closed', password1: goodPassword, password2: goodPassword },
    ],
    ['/accounts/password/reset/', { email: 'a@example.com' }],
    ['/accounts/login/code/', { email: 'a@example.com' }],
    ['/accounts/email/', { email: 'a@example.com', action_add: '1' }],
    [
      '/accounts/password/change/',
      { oldpassword: goodPassword, password1: 'a better password', password2: 'a better password' },
    ],
    ['/accounts/reauthenticate/', { password: goodPassword }],
  ])('the form of %s is refused with a time to wait', async (path, fields) => {
    const isForAll = /signup|reset|code/.test(path)
    const visitor = isForAll ? new Visitor() : await Visitor.loggedInAs(await addUser())
    await visitor.see(isForAll ? '/accounts/login/' : '/accounts/')
    const response = await submitWith(broken, visitor, path, fields)
    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toBe('30')
  })
})

describe('cleanup', () => {
  it('keeps an account that was never confirmed while it or its Discord account is disabled', async () => {
    const [disabled, banned, gone] = [await addUser({ isActive: false }), await addUser(), await addUser()]
    for (const { id } of [disabled, banned, gone]) {
      await rows(
        `INSERT INTO discord_user (user_id, discord_id, username, discriminator, display_name, is_verified, is_disabled,
           login_count, first_login_at, last_login_at) VALUES (?1, ?1, 'x', '0', 'X', 0, ?2, 1, 0, 0)`,
        id,
        id === banned.id ? 1 : 0,
      )
      await rows('UPDATE email_address SET verified_at = NULL WHERE user_id = ?', id)
    }
    expect((await runJob(deleteOldAccountData, {})).state).toBe('finished')
    const kept = await rows('SELECT id FROM user WHERE id IN (?, ?, ?) ORDER BY id', disabled.id, banned.id, gone.id)
    expect(kept).toEqual([{ id: disabled.id }, { id: banned.id }])
  })

  it('keeps an account that an administrator added, also while no one has logged in', async () => {
    const { id } = await addUser()
    await rows('UPDATE user SET created_at = 0 WHERE id = ?', id)
    await rows('UPDATE email_address SET verified_at = NULL WHERE user_id = ?', id)
    await rows(
      "INSERT INTO audit (at, who, act, area, table_name, row_key, title) VALUES (0, 'admin', 'added', 'admin', 'user', ?, 'x')",
      String(id),
    )
    expect((await runJob(deleteOldAccountData, {})).state).toBe('finished')
    expect(await rows('SELECT id FROM user WHERE id = ?', id)).toEqual([{ id }])
  })

  it('deletes much of one kind in several runs, and the rest even if one kind cannot be deleted', async () => {
    const { id } = await addUser()
    const old = Date.now() - 31 * 24 * 3600_000
    await rows(
      `INSERT INTO sign_in_code (id_hash, address, code_hash, next, created_at, expires_at)
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
        SELECT 'old ' || i, 'a@example.com', '', '', 0, 0 FROM n`,
    )
    await rows('UPDATE user SET created_at = ? WHERE id = ?', old, id)
    await rows('UPDATE email_address SET verified_at = NULL WHERE user_id = ?', id)
    await rows("CREATE TRIGGER fails BEFORE DELETE ON user BEGIN SELECT RAISE(ABORT, 'kept'); END")
    const context = runContext({ deadline: Date.now() })
    const left = "SELECT count(*) AS n FROM sign_in_code WHERE id_hash LIKE 'old %'"
    const first = await deleteOldAccountData.run(context, { forgotten: 0 })
    expect(await rows(left)).toEqual([{ n: 1000 }])
    expect(first).toMatchObject({ at: expect.any(Number) })
    await expect(deleteOldAccountData.run(context, { forgotten: 0 })).rejects.toThrow('kept')
    expect(await rows(left)).toEqual([{ n: 0 }])
    await rows('DROP TRIGGER fails')
    expect((await runJob(deleteOldAccountData, {})).state).toBe('finished')
    expect(await rows('SELECT id FROM user WHERE id = ?', id)).toEqual([])
  })

  it('deletes exactly what has expired', async () => {
    const [kept, gone] = [await addUser(), await addUser()]
    const old = Date.now() - 31 * 24 * 3600_000
    await Visitor.loggedInAs(kept)
    await env.DB.batch([
      env.DB.prepare('UPDATE email_address SET verified_at = NULL WHERE user_id = ?').bind(gone.id),
      env.DB.prepare('UPDATE user SET created_at = ? WHERE id IN (?, ?)').bind(old, gone.id, kept.id),
      env.DB.prepare('UPDATE session SET expires_at = 1 WHERE user_id = ?').bind(kept.id),
      env.DB.prepare(
        `INSERT INTO password_reset (key_hash, user_id, created_at, expires_at) VALUES ('old', ?1, 0, ?2), ('new', ?1, 0, ?3)`,
      ).bind(kept.id, old, Date.now()),
    ])
    const fresh = await addUser()
    await env.DB.batch([
      env.DB.prepare('UPDATE email_address SET verified_at = NULL WHERE user_id = ?').bind(fresh.id),
      env.DB.prepare('UPDATE user SET created_at = ? WHERE id = ?').bind(Date.now(), fresh.id),
    ])
    expect((await runJob(deleteOldAccountData, {})).state).toBe('finished')
    const { results } = await env.DB.prepare('SELECT id FROM user WHERE id IN (?, ?, ?) ORDER BY id')
      .bind(kept.id, gone.id, fresh.id)
      .all()
    expect(results).toEqual([{ id: kept.id }, { id: fresh.id }])
    expect(await env.DB.prepare('SELECT count(*) AS n FROM session WHERE user_id = ?').bind(kept.id).first()).toEqual({
      n: 0,
    })
    expect(
      (await env.DB.prepare('SELECT key_hash FROM password_reset WHERE user_id = ?').bind(kept.id).all()).results,
    ).toEqual([{ key_hash: 'new' }])
  })
})
