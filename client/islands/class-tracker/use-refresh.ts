import { useCallback, useEffect, useRef, useState } from 'react'
import type {
  JobAnswer,
  JobHandle,
  RefreshedSections,
  RefreshedSubjects,
  RefreshedTerms,
} from '../../../src/class-tracker/refresh/contract.ts'
import { CallError, messagesOf, unexpected } from '#in-browser/errors.ts'
import { recall, remember } from '#in-browser/storage.ts'
import { calls, type Refreshing } from '#in-browser/islands/class-tracker/calls.ts'

/** A job's result can be anything; each refresh recognizes its own by the lists in it. */
function hasLists(result: unknown, ...names: string[]): result is Record<string, unknown> {
  if (typeof result !== 'object' || result === null) return false
  const keys: Record<string, unknown> = { ...result }
  return names.every((name) => Array.isArray(keys[name]))
}

export function isRefreshedTerms(result: unknown): result is RefreshedTerms {
  return (
    hasLists(result, 'available_schools', 'available_terms', 'failures') &&
    typeof result['new_terms_count'] === 'number'
  )
}
export function isRefreshedSubjects(result: unknown): result is RefreshedSubjects {
  return hasLists(result, 'available_subjects', 'failures')
}
export function isRefreshedSections(result: unknown): result is RefreshedSections {
  return hasLists(result, 'courses', 'failures', 'warnings') && typeof result['courses_count'] === 'number'
}

const endedStates: readonly string[] = ['finished', 'failed', 'stopped', 'canceled']

export type Refresh<Result> =
  | { state: 'idle' }
  | { state: 'running'; progress: JobHandle['progress'] }
  | { state: 'done'; result: Result }
  | { state: 'failed'; errors: string[] }

interface RefreshOptions<Result> {
  /** The key of this refresh in the session storage, where the address of its running job is kept for a reload. */
  memory: string
  isResult: (result: unknown) => result is Result
  /** Called after a refresh was requested: what the page shows of its queue may be outdated. */
  onStart: () => void
  onDone: (result: Result) => void
}

const POLL_INTERVAL_MS = 1000
const MAX_FAILURES = 20
const starting: JobHandle['progress'] = { done: 0, total: 0, label: 'Contacting the schools' }

const isText = (value: unknown): value is string => typeof value === 'string' && value.startsWith('/')
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

type Ended = Pick<JobAnswer, 'status' | 'result' | 'error'>
type ShowProgress = (progress: JobHandle['progress']) => void

const isRefusal = (error: unknown): boolean =>
  error instanceof CallError && error.status >= 400 && error.status < 500 && error.status !== 429

/** Asks about a job every second until it has ended. Rejects if it is refused, or after 20 failures in a row. */
async function followJob(url: string, signal: AbortSignal, onProgress: ShowProgress): Promise<Ended> {
  let failures = 0
  for (;;) {
    try {
      const job = await calls.getJob(url, signal)
      if (endedStates.includes(job.status)) return job
      failures = 0
      onProgress(job.progress)
    } catch (error) {
      failures += 1
      if (signal.aborted || isRefusal(error) || failures > MAX_FAILURES) throw error
    }
    await pause(POLL_INTERVAL_MS)
  }
}

function resultOf<Result>(job: Ended, isResult: RefreshOptions<Result>['isResult']): Refresh<Result> {
  if (job.status === 'finished')
    return isResult(job.result) ? { state: 'done', result: job.result } : { state: 'failed', errors: [unexpected] }
  // An unexpected failure has its stack after the first line.
  const [error = 'The refresh was stopped before it was done.'] = job.error?.split('\n') ?? []
  return { state: 'failed', errors: [error] }
}

/** A refresh that runs as a job: starts it, follows it to its end, and finds it again after a reload. */
export function useRefresh<Result>(options: RefreshOptions<Result>): {
  refresh: Refresh<Result>
  start: (begin: () => Promise<Refreshing<Result>>) => void
  /** Clears the previous result, which is about something else now. A running refresh stays. */
  reset: () => void
} {
  const { memory } = options
  const [refresh, setRefresh] = useState<Refresh<Result>>({ state: 'idle' })
  const controller = useRef<AbortController>(undefined)
  const latest = useRef(options)
  useEffect(() => {
    latest.current = options
  })

  const run = useCallback(
    async (work: (signal: AbortSignal, onProgress: ShowProgress) => Promise<Ended>) => {
      const signal = controller.current?.signal
      if (!signal) return
      const show: ShowProgress = (progress) => setRefresh({ state: 'running', progress })
      show(starting)
      let end: Refresh<Result>
      try {
        end = resultOf(await work(signal, show), latest.current.isResult)
      } catch (error) {
        end = { state: 'failed', errors: messagesOf(error) }
      }
      // The page was left; the job is found again when someone comes back.
      if (signal.aborted) return
      remember('session', memory, null)
      setRefresh(end)
      if (end.state === 'done') latest.current.onDone(end.result)
    },
    [memory],
  )

  useEffect(() => {
    const leaving = new AbortController()
    controller.current = leaving
    const url = recall('session', memory, isText)
    if (url !== null) void run((signal, onProgress) => followJob(url, signal, onProgress))
    return () => leaving.abort()
  }, [memory, run])

  function start(begin: () => Promise<Refreshing<Result>>): void {
    options.onStart()
    void run(async (signal, onProgress) => {
      const answer = await begin()
      const { status, url, progress } = answer.job
      if (endedStates.includes(status)) return { status, result: answer, error: null }
      remember('session', memory, url)
      onProgress(progress)
      return followJob(url, signal, onProgress)
    })
  }

  const reset = () => setRefresh((shown) => (shown.state === 'running' ? shown : { state: 'idle' }))

  return { refresh, start, reset }
}
