import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { share } from './journey.ts'

// Every journey of this folder, in the order of their file names, so that none is forgotten.
const folder = import.meta.dirname
for (const file of readdirSync(folder).toSorted())
  if (file.endsWith('.journey.ts')) await import(/* @vite-ignore */ join(folder, file))

share()
