import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isPasswordOf } from '../../src/accounts/password-hash.ts'
import { peek } from '../world/start/peek.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const program = 'src/accounts/create-superuser.cli.ts'
let folder = ''

/** Runs one of our scripts or wrangler with this text as input. */
function run(script: string, words: string[], input = ''): Promise<{ code: number | null; out: string; err: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...words], {
      cwd: root,
      // The level at which wrangler logs what it read.
      env: { ...process.env, CI: '1', TMPDIR: folder, WRANGLER_LOG: 'log' },
    })
    let [out, err] = ['', '']
    child.stdout.on('data', (chunk) => (out += chunk))
    child.stderr.on('data', (chunk) => (err += chunk))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, out, err }))
    child.stdin.end(input)
  })
}

const wrangler = (...words: string[]) =>
  run('node_modules/wrangler/bin/wrangler.js', ['d1', ...words, '--local', '--persist-to', folder])
const create = (username: string, email: string, password: string) =>
  run(
    program,
    ['--local', '--persist-to', folder, '--username', username, '--email', email, '--password-stdin'],
    `${password}\n`,
  )

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'superuser-test-'))
  const names = (await readdir(`${root}/migrations`)).filter((name) => name.endsWith('.sql')).toSorted()
  const migrations = await Promise.all(names.map((name) => readFile(`${root}/migrations/${name}`, 'utf8')))
  // In one file: `migrations apply` starts a runtime twice for each.
  const file = join(folder, 'migrations.sql')
  await writeFile(file, migrations.join('\n'))
  const migrated = await wrangler('execute', 'DB', '--yes', '--file', file)
  expect(migrated.code, migrated.err).toBe(0)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('npm run create-superuser', () => {
  it('adds a superuser without storing the password, and rejects a taken name', async () => {
    const added = await create('root.user', "o'hara@example.com", 'a quite long password')
    expect(added).toMatchObject({ code: 0, out: 'Superuser root.user was added to the local database.\n' })
    const refused = await create('ROOT.user', 'other@example.com', 'a quite long password')
    expect(refused).toMatchObject({ code: 1, err: 'This username or email address is taken.\n' })
    const row = peek(folder, 'SELECT *, (SELECT count(*) FROM user) AS users FROM user')
    expect(row).toMatchObject({ users: 1, username: 'root.user', is_superuser: 1, is_active: 1 })
    expect(JSON.stringify(row)).not.toContain('a quite long password')
    expect(await isPasswordOf(String(row?.password_hash), 'a quite long password')).toBe(true)
  })

  it('prints its usage for unknown options', async () => {
    const refused = await run(program, ['--locl'])
    expect([refused.code, refused.out]).toEqual([2, ''])
    expect(refused.err).toMatch(/^Unknown option '--locl'.*\nnpm run create-superuser -- \[--local /)
  })

  it('refuses a local folder without --local, which would add the superuser to the deployed database', async () => {
    const refused = await run(program, ['--persist-to', folder], 'root\n')
    expect([refused.code, refused.out]).toEqual([2, ''])
    expect(refused.err).toMatch(/^--persist-to needs --local\.\nnpm run create-superuser -- \[--local /)
  })

  it('says so when its input ends after a username alone', async () => {
    const ended = await run(program, ['--local', '--persist-to', folder], 'root\n')
    expect([ended.code, ended.err]).toEqual([
      1,
      '\nThe input ended before everything was answered. Nothing was added.\n',
    ])
  })

  it('rejects invalid answers before writing anything', async () => {
    const refused = await create('two words', 'nowhere', 'short')
    expect(refused.code).toBe(1)
    expect(refused.err.trim().split('\n')).toHaveLength(3)
  })
})
