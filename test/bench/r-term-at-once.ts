import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { measureInChild } from './cpu/child.ts'
import { measureMemory } from './cpu/memory.ts'
import { type Part, percentile } from './report.ts'
import { generateTermAtOnce, type TermAtOnce } from './term-at-once.ts'

const RUNS = 5

/** A whole term in one answer of 20 MB: CPU against `JSON.parse` of the same bytes, and the memory it takes. */
export async function measureTermAtOnce(): Promise<Part> {
  const cpu = await measureInChild('rutgers')
  const term = generateTermAtOnce()
  const school = await serve(term)
  try {
    const megabytes = { adapter: [] as number[], text: [] as number[] }
    for (let run = 0; run < RUNS; run++) {
      for (const how of ['adapter', 'text'] as const) {
        const memory = await measureMemory(how, school.url, term.code)
        if (memory.sections !== term.sections) throw new Error(`${memory.sections} sections came.`)
        megabytes[how].push(memory.megabytes)
      }
    }
    const size = (term.courses.byteLength / MEGABYTE).toFixed(1)
    return {
      name: `(r) Rutgers: a term of ${term.sections} sections in one answer of ${size} MB`,
      figures: [
        ...cpu,
        { what: 'memory over rest', value: percentile(megabytes.adapter, 0.5), unit: 'MB', atMost: 40 },
        { what: 'memory over rest, JSON.parse of the text', value: percentile(megabytes.text, 0.5), unit: 'MB' },
      ],
      notes: [
        `Memory: the largest resident set of a process that reads it from a server, over that at rest; the median of ${RUNS} runs.`,
      ],
    }
  } finally {
    school.close()
  }
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
