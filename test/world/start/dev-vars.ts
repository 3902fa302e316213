import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { Problem } from './settings.ts'

const FILE = '.dev.vars'
/** With a shorter one, the Worker answers only 503. */
const MIN_SECRET_LENGTH = 32

const newSecret = (): string => randomBytes(48).toString('base64url')

/**
 * Writes `.dev.vars` into the folder from the `.dev.vars.example` there, with a new secret, readable only by its owner.
 * An existing one is unchanged. Returns whether it wrote one.
 */
export function writeDevVars(folder: string): boolean {
  const example = readFileSync(join(folder, '.dev.vars.example'), 'utf8')
  const text = example.replace(/^SECRET_KEY=.*$/m, `SECRET_KEY=${newSecret()}`)
  try {
    writeFileSync(join(folder, FILE), text, { mode: 0o600, flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/**
 * What `.dev.vars` in the folder sets, without empty values and without the secret, which wrangler reads itself.
 * Wrangler reads other secrets only if wrangler.toml names them as required. Throws `Problem` if the secret is too
 * short.
 */
export function readDevVars(folder: string): Record<string, string> {
  const { SECRET_KEY: secret = '', ...others } = parseEnv(readFileSync(join(folder, FILE), 'utf8'))
  if (secret.length < MIN_SECRET_LENGTH) {
    const what = `SECRET_KEY in ${FILE} is ${secret === '' ? 'missing' : `shorter than ${MIN_SECRET_LENGTH} characters`}.`
    throw new Problem(`${what} Put this line there, or delete the file to get a new one:\n\nSECRET_KEY=${newSecret()}`)
  }
  return Object.fromEntries(Object.entries(others).flatMap(([name, value]) => (value ? [[name, value]] : [])))
}
