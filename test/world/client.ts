import type { SectionReport } from './schools/find.ts'

/** A visitor with separate cookies, for tests: a browser as far as schools check. */
export class Visitor {
  readonly jar = new Map<string, string>()
  readonly #origin: string

  constructor(origin: string) {
    this.#origin = origin
  }

  async request(path: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...Object.fromEntries(new Headers(init.headers)), ...(cookie ? { cookie } : {}) }
    const response = await fetch(this.#origin + path, { redirect: 'manual', ...init, headers })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const cut = pair.indexOf('=')
      this.jar.set(pair.slice(0, cut), pair.slice(cut + 1))
    }
    return response
  }

  /** A form post if `form` is given, otherwise a GET. */
  async page(path: string, form?: Record<string, string> | [string, string][]): Promise<string> {
    const init = form ? { method: 'POST', body: new URLSearchParams(form) } : {}
    const response = await this.request(path, init)
    return new TextDecoder(response.headers.get('content-type')?.includes('8859') ? 'iso-8859-1' : 'utf-8').decode(
      await response.arrayBuffer(),
    )
  }

  async json<T>(path: string, form?: Record<string, string>): Promise<T> {
    return JSON.parse(await this.page(path, form)) as T
  }
}

/** Calls the control surface with a JSON body. */
export async function control(origin: string, method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${origin}/_world/${path}`, {
    method,
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
}

/** The sections that a source would report now, filtered by equal fields. */
export async function sectionsOf(
  origin: string,
  filter: Partial<Record<keyof SectionReport, string>>,
): Promise<SectionReport[]> {
  const response = await fetch(`${origin}/_world/sections?${new URLSearchParams(filter)}`)
  return (await response.json()) as SectionReport[]
}
