import { readFile } from 'node:fs/promises'
import { SourceMap } from 'node:module'
import process from 'node:process'
import { text } from 'node:stream/consumers'

/* Reads a stack trace of the deployed Worker (from a log or a failed job) on standard input and prints it with
   source positions. `npm run stack` builds the source map first: run it at the deployed commit. */

const map = new SourceMap(JSON.parse(await readFile('.build/deploy/worker.js.map', 'utf8')))

/** Maps a position in the bundle to the source; unchanged if the map has none. */
function sourceOf(place: string, line: string, column: string): string {
  const entry = map.findEntry(Number(line) - 1, Number(column) - 1)
  if (!('originalSource' in entry)) return place
  const source = entry.originalSource.replace(/^(\.\.\/)+/, '')
  return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
}

process.stdout.write((await text(process.stdin)).replace(/(?:file:\/\/)?[\w./-]*worker\.js:(\d+):(\d+)/g, sourceOf))
