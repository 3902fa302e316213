import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { measureInChild } from './cpu/child.ts'
import { measureMemory, type Memory } from './cpu/memory.ts'
import { type Figure, type Part, percentile } from './report.ts'
import { generateTermAtOnce, type TermAtOnce } from './term-at-once.ts'

const RUNS = 5

/** A whole term in one answer of 20 MB: CPU against `JSON.parse` of the same bytes, and the memory it takes. */
export async function measureTermAtOnce(): Promise<Part> {
  const cpu = await measureInChild('rutgers')
  const term = generateTermAtOnce()
  const school = await serve(term)
  try {
    const runs = { adapter: [] as Memory[], text: [] as Memory[] }
    for (let run = 0; run < RUNS; run++) {
      for (const how of ['adapter', 'text'] as const) {
        const memory = await measureMemory(how, school.url, term.code)
        if (memory.sections !== term.sections) throw new Error(`${memory.sections} sections came.`)
        runs[how].push(memory)
      }
    }
    const size = (term.courses.byteLength / MEGABYTE).toFixed(1)
    return {
      name: `(r) Rutgers: a term of ${term.sections} sections in one answer of ${size} MB`,
      figures: [
        ...cpu,
        { ...figureOf('heap and buffers in use', runs.adapter, 'in_use'), atMost: 40 },
        figureOf('the same, JSON.parse of the text', runs.text, 'in_use'),
        { ...figureOf('resident memory', runs.adapter, 'resident'), atMost: 40 },
        figureOf('the same, JSON.parse of the text', runs.text, 'resident'),
      ],
      notes: [
        `Memory: the most of a process that reads it from a server, over that at rest; the median of ${RUNS} runs.`,
      ],
    }
  } finally {
    school.close()
  }
}

function figureOf(what: string, runs: readonly Memory[], kind: 'in_use' | 'resident'): Figure {
  const values = runs.map((memory) => memory[kind])
  return { what, value: percentile(values, 0.5), unit: 'MB', note: values.map((value) => value.toFixed(0)).join(', ') }
}

const MEGABYTE = 1e6

async function serve({ courses, openSections }: TermAtOnce): Promise<{ url: string; close(): void }> {
  const [list, all] = [gzipSync(openSections), gzipSync(courses)]
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    response.end(request.url?.includes('openSections') ? list : all)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/soc/api`, close: () => server.close() }
}
