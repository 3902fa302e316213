import { Visitor } from '../client.ts'
import { SIGN_INS } from './seed.ts'

interface Job {
  id: string
  url: string
  status: string
  progress: { done: number; total: number; label: string }
  error?: string | null
  result?: unknown
}

const PATIENCE = 10 * 60_000
const ENDED = ['finished', 'failed', 'stopped', 'canceled']

/** Logs in and uses the app's own pages, as staff would by hand. */
class Staff {
  readonly #visitor: Visitor
  readonly #origin: string
  #token = ''

  constructor(origin: string) {
    this.#origin = origin
    this.#visitor = new Visitor(origin)
  }

  async #readToken(path: string): Promise<void> {
    const page = await this.#visitor.page(path)
    const data = page.match(/<script type="application\/json" id="page-data"[^>]*>([\s\S]*?)<\/script>/)?.[1] ?? '{}'
    const { context } = JSON.parse(data) as { context?: { csrf_token?: string } }
    this.#token = context?.csrf_token ?? ''
  }

  async logIn(): Promise<void> {
    const [{ username, password }] = SIGN_INS
    await this.#readToken('/class_tracker/login_view/')
    const body = new URLSearchParams({ username, password, csrf_token: this.#token })
    const answer = await this.#visitor.request('/class_tracker/login_view/', {
      method: 'POST',
      body,
      headers: { origin: this.#origin },
    })
    if (answer.status >= 400) throw new Error(`logging in as ${username} answered ${answer.status}`)
    await this.#readToken('/class_tracker/')
  }

  async #json(path: string, method: 'GET' | 'POST'): Promise<{ status: number; body: unknown }> {
    const headers = { accept: 'application/json', origin: this.#origin, 'x-csrftoken': this.#token }
    const response = await this.#visitor.request(path, { method, headers, signal: AbortSignal.timeout(60_000) })
    const text = await response.text()
    if (response.status >= 400) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 300)}`)
    return { status: response.status, body: JSON.parse(text) }
  }

  /** Makes a refresh call and follows its job to the end; returns what the call would have returned. */
  async refresh(path: string, progress: (job: Job) => void): Promise<Record<string, unknown>> {
    const { status, body } = await this.#json(path, 'POST')
    const answer = body as Record<string, unknown> & { job: Job }
    if (status !== 202) return answer
    const deadline = Date.now() + PATIENCE
    while (Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 400))
      const job = (await this.#json(answer.job.url, 'GET')).body as Job
      progress(job)
      if (job.status === 'finished') return (job.result ?? {}) as Record<string, unknown>
      if (ENDED.includes(job.status)) throw new Error(`${path} ${job.status}: ${job.error ?? 'no reason given'}`)
    }
    throw new Error(`${path} took longer than ${PATIENCE / 60_000} minutes`)
  }
}

function failuresOf(answer: Record<string, unknown>): string[] {
  return Array.isArray(answer.failures) ? answer.failures.map(String) : []
}

/**
 * Fills the empty catalog of the app at `origin`: terms and schools, then subjects and sections of every offered term.
 * `say` is called with progress. Throws if a call fails.
 */
export async function fillCatalog(origin: string, say: (line: string) => void): Promise<void> {
  const staff = new Staff(origin)
  await staff.logIn()
  let last = 0
  const progress = (job: Job): void => {
    const { done, total, label } = job.progress
    if (Date.now() - last < 3000 || total === 0) return
    last = Date.now()
    say(`  ${label} ${done}/${total}`)
  }
  const terms = await staff.refresh('/class_tracker/refresh_available_terms', progress)
  const available = (terms.available_terms ?? []) as { id: number; full_term_name: string }[]
  say(
    `  ${available.length} terms at ${Array.isArray(terms.available_schools) ? terms.available_schools.length : 0} schools`,
  )
  for (const term of available) {
    await staff.refresh(`/class_tracker/refresh_semester_data/0/${term.id}`, progress)
    const filled = await staff.refresh(`/class_tracker/fetch_new_semester_course_sections/0/${term.id}/0`, progress)
    say(`  ${term.full_term_name}: ${String(filled.courses_count)} courses`)
    for (const failure of failuresOf(filled)) say(`  not believed: ${failure}`)
  }
}
