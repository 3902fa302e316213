import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const program = fileURLToPath(new URL('../../src/notify/push/vapid-keys.cli.ts', import.meta.url))

const run = (...words: string[]) =>
  new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
    execFile(process.execPath, [program, ...words], (error, out, err) => resolve({ code: error?.code ?? 0, out, err }))
  })

it('prints a key pair as variables, a different one every time', async () => {
  const [one, other] = await Promise.all([run(), run()])
  expect(one).toMatchObject({ code: 0, err: '' })
  expect(one.out).toMatch(/^VAPID_PUBLIC_KEY=[\w-]{87}\nVAPID_PRIVATE_KEY=[\w-]{43}\n$/)
  expect(one.out).not.toBe(other.out)
})

it('prints its usage for --help and unknown options', async () => {
  expect(await run('--help')).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/^npm run vapid-keys\n/) })
  expect(await run('--zap')).toMatchObject({ code: 2, out: '', err: expect.stringMatching(/^npm run vapid-keys\n/) })
})
