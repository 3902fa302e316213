import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { foldedText, foldedWord } from '../../src/db/search-words.ts'
import { read, template } from '../../src/db/query.ts'

async function folded(texts: readonly string[]): Promise<string[]> {
  const given = JSON.stringify(texts)
  const rows = await read(
    env.DB,
    template(
      { text: sql<string>`${foldedText(sql`value`)}` },
      (columns) => sql`SELECT ${columns} FROM json_each(${given}) ORDER BY key`,
    ),
  )
  return rows.map(({ text }) => text)
}

test('marks on Latin letters make no difference, also in capitals', async () => {
  const names = [
    'École',
    'ÉCOLE',
    'François Łukasz',
    'Nguyễn Thị Đào',
    'İstanbul ığdır',
    'Kāne Ōhiʻa',
    'Señor Müller Åse Ø',
  ]
  const plain = [
    'ecole',
    'ecole',
    'francois lukasz',
    'nguyen thi dao',
    'istanbul igdir',
    'kane ohiʻa',
    'senor muller ase o',
  ]
  expect(await folded(names)).toEqual(plain)
  expect(names.map((name) => foldedWord(name).toLowerCase())).toEqual(plain)
})

test('other scripts and symbols are unchanged', async () => {
  const others = ['Жук', 'Ωμέγα', '学生', 'ß æ œ', '🎓', '']
  expect(await folded(others)).toEqual(others)
})

test('the database and typed text are folded in the same way', async () => {
  const letters = fc.string({
    unit: fc
      .oneof(fc.integer({ min: 0x20, max: 0x17f }), fc.integer({ min: 0x1ea0, max: 0x1ef9 }))
      .map((code) => String.fromCodePoint(code)),
  })
  const small = (text: string) => foldedWord(text).replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  await fc.assert(
    fc.asyncProperty(fc.array(letters, { minLength: 1, maxLength: 20 }), async (texts) => {
      expect(await folded(texts)).toEqual(texts.map(small))
    }),
  )
})
