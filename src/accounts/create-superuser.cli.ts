import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { superuserErrors, superuserSql, type NewSuperuser } from './new-superuser.ts'
import { hashPassword } from './password-hash.ts'

const usage = `npm run create-superuser -- [--local [--persist-to FOLDER]] [--username NAME --email ADDRESS --password-stdin]
Adds a superuser to the deployed database, or with --local to the one of \`wrangler dev\`. Asks for what is not given.`

const root = fileURLToPath(new URL('../..', import.meta.url))

const readOptions = () =>
  parseArgs({
    options: {
      local: { type: 'boolean', default: false },
      'persist-to': { type: 'string' },
      username: { type: 'string' },
      email: { type: 'string' },
      'password-stdin': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  }).values

async function run(): Promise<number> {
  let values
  try {
    values = readOptions()
  } catch (error) {
    refuse([error instanceof Error ? error.message : String(error), usage])
    return 2
  }
  if (values.help) {
    console.log(usage)
    return 0
  }
  if (values['persist-to'] !== undefined && !values.local) {
    refuse(['--persist-to needs --local.', usage])
    return 2
  }
  const superuser = await ask({ username: values.username, email: values.email, isPiped: values['password-stdin'] })
  if (typeof superuser === 'string') return refuse([superuser])
  const errors = superuserErrors(superuser)
  if (errors.length > 0) return refuse(errors)

  const hash = await hashPassword(superuser.password, randomBytes(16))
  const persistTo = values['persist-to'] === undefined ? [] : ['--persist-to', values['persist-to']]
  const where = values.local ? ['--local', ...persistTo] : ['--remote']
  const { code, output } = await execute(superuserSql(superuser, hash, Date.now()), where)
  if (/UNIQUE constraint failed/.test(output)) return refuse(['This username or email address is taken.'])
  if (code !== 0) return refuse([output.trim(), 'The superuser was not added.'])
  console.log(`Superuser ${superuser.username} was added to the ${values.local ? 'local' : 'deployed'} database.`)
  return 0
}

function refuse(sentences: string[]): number {
  for (const sentence of sentences) console.error(sentence)
  return 1
}

/** Asks for what is missing. Returns a sentence when there is no superuser to add. */
async function ask(given: {
  username: string | undefined
  email: string | undefined
  isPiped: boolean
}): Promise<NewSuperuser | string> {
  if (given.isPiped) {
    const password = (await text(process.stdin)).replace(/\r?\n$/, '')
    return { username: given.username ?? '', email: given.email ?? '', password }
  }
  let isHidden = false
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (!isHidden) process.stdout.write(chunk)
      done()
    },
  })
  const questions = createInterface({ input: process.stdin, output, terminal: process.stdin.isTTY })
  const ended = new AbortController()
  questions.once('close', () => ended.abort())
  const answerTo = (question: string) => questions.question(question, { signal: ended.signal })
  async function askHidden(question: string): Promise<string> {
    process.stdout.write(question)
    isHidden = true
    const answer = await answerTo('')
    isHidden = false
    process.stdout.write('\n')
    return answer
  }
  try {
    const username = given.username ?? (await answerTo('Username: '))
    const email = given.email ?? (await answerTo('Email address: '))
    const password = await askHidden('Password (10 to 256 characters): ')
    const repeated = await askHidden('Password again: ')
    if (password !== repeated) return 'The two passwords are not the same.'
    return { username: username.trim(), email: email.trim(), password }
  } catch (error) {
    if (!ended.signal.aborted) throw error
    return '\nThe input ended before everything was answered. Nothing was added.'
  } finally {
    questions.close()
  }
}

/** Runs the statements through wrangler from a file that only its owner can read, and deletes the file. */
async function execute(sql: string, where: string[]): Promise<{ code: number; output: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'class-cords-'))
  try {
    const file = join(folder, 'superuser.sql')
    await writeFile(file, sql, { mode: 0o600 })
    return await wrangler(['d1', 'execute', 'DB', '--yes', '--file', file, ...where])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function wrangler(words: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, 'node_modules/wrangler/bin/wrangler.js'), ...words], {
      cwd: root,
      stdio: ['inherit', 'pipe', 'pipe'],
      env: { ...process.env, WRANGLER_SEND_METRICS: 'false', WRANGLER_HIDE_BANNER: 'true' },
    })
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

process.exitCode = await run()
