import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../world/start/settings.ts'

const folder = join(ROOT, 'client/share')
const maxBytes = 40 * 1024

test('there is a picture for every kind and hue, of the size for link previews and no larger than 40 KB', async () => {
  const hues = [1, 2, 3, 4, 5, 6, 7, 8]
  const names = [...hues.flatMap((hue) => [`server-${hue}`, `school-${hue}`]), 'site', 'invitation']
  expect((await readdir(folder)).toSorted()).toEqual(names.map((name) => `${name}.png`).toSorted())
  for (const name of names) {
    const png = await readFile(join(folder, `${name}.png`))
    expect([png.readUInt32BE(16), png.readUInt32BE(20)], name).toEqual([1200, 630])
    expect(png.length, name).toBeLessThanOrEqual(maxBytes)
  }
})
