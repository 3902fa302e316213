import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readDevVars, writeDevVars } from './start/dev-vars.ts'
import { ROOT } from './start/settings.ts'

let folder = ''
let file = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dev-vars-'))
  file = join(folder, '.dev.vars')
  writeFileSync(join(folder, '.dev.vars.example'), readFileSync(join(ROOT, '.dev.vars.example')))
})
afterEach(() => rmSync(folder, { recursive: true }))

const secretIn = (path: string) => parseEnv(readFileSync(path, 'utf8')).SECRET_KEY ?? ''

describe('.dev.vars', () => {
  it('is written from the example with a new secret, readable only by its owner', () => {
    expect(writeDevVars(folder)).toBe(true)
    expect(secretIn(file)).toMatch(/^[\w-]{64}$/)
    expect(statSync(file).mode & 0o077).toBe(0)
    const withoutSecret = readFileSync(file, 'utf8').replace(/^SECRET_KEY=.*$/m, 'SECRET_KEY=')
    expect(withoutSecret).toBe(readFileSync(join(ROOT, '.dev.vars.example'), 'utf8'))
    const first = secretIn(file)
    rmSync(file)
    writeDevVars(folder)
    expect(secretIn(file)).not.toBe(first)
  })

  it('is unchanged if it exists', () => {
    const text = `SECRET_KEY=${'x'.repeat(32)}\nRESEND_API_KEY="re_a:b c"\nSTATS_TOKEN=\n`
    writeFileSync(file, text)
    expect(writeDevVars(folder)).toBe(false)
    expect(readFileSync(file, 'utf8')).toBe(text)
    expect(readDevVars(folder)).toEqual({ RESEND_API_KEY: 're_a:b c' })
  })

  it.each([
    ['', 'missing'],
    ['SECRET_KEY=\n', 'missing'],
    [`SECRET_KEY=${'x'.repeat(31)}\n`, 'shorter than 32 characters'],
  ])('that says %j is not started with, and the line it needs is named', (text, what) => {
    writeFileSync(file, text)
    expect(() => readDevVars(folder)).toThrow(
      new RegExp(`^SECRET_KEY in .dev.vars is ${what}[^]*SECRET_KEY=[\\w-]{64}$`),
    )
    expect(readFileSync(file, 'utf8')).toBe(text)
  })
})

describe('.dev.vars.example', () => {
  it('has every variable and secret of the Worker', () => {
    const example = readFileSync(join(ROOT, '.dev.vars.example'), 'utf8')
    const [, vars = ''] = /^\[vars\]$([^[]*)/m.exec(readFileSync(join(ROOT, 'wrangler.toml'), 'utf8')) ?? []
    const secrets = readFileSync(join(ROOT, 'src/env.d.ts'), 'utf8')
    const names = [...vars.matchAll(/^([A-Z_]+) =/gm), ...secrets.matchAll(/^ {2}([A-Z_]+)\?: string$/gm)].map(
      ([, name]) => name,
    )
    expect(names).toEqual(expect.arrayContaining(['APP_URL', 'DISCORD_CLIENT_ID', 'TWILIO_AUTH_TOKEN', 'STATS_TOKEN']))
    const known = [...example.matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(([, name]) => name)
    expect(known.toSorted()).toEqual(['SECRET_KEY', ...names].toSorted())
  })

  it('is committed without a secret, and the file made from it is ignored', () => {
    expect(secretIn(join(ROOT, '.dev.vars.example'))).toBe('')
    expect(readFileSync(join(ROOT, '.gitignore'), 'utf8').split('\n')).toContain('.dev.vars')
  })
})
