import { useCallback, useEffect, useRef, useState } from 'react'
import type { JobAnswer, JobHandle } from '../../../src/class-tracker/refresh/contract.ts'
import { CallError, messagesOf, unexpected } from '../../errors.ts'
import { recall, remember } from '../../storage.ts'
import { calls, type Refreshing } from './calls.ts'
import { endedStates } from './refresh-results.ts'

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
const MAX_LOST_POLLS = 20
const starting: JobHandle['progress'] = { done: 0, total: 0, label: 'Asking the schools' }

const isText = (value: unknown): value is string => typeof value === 'string' && value.startsWith('/')
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** A refresh that runs as a job: starts it, follows it to its end, and finds it again after a reload. */
export function useRefresh<Result>(options: RefreshOptions<Result>): {
  refresh: Refresh<Result>
  start: (begin: () => Promise<Refreshing<Result>>) => void
  /** Clears the previous result, which is about something else now. A running refresh stays. */
  forget: () => void
} {
  const { memory, isResult } = options
  const [refresh, setRefresh] = useState<Refresh<Result>>({ state: 'idle' })
  const latest = useRef(options)
  const following = useRef<AbortController>(undefined)
  useEffect(() => {
    latest.current = options
  })

  const end = useCallback(
    (ended: Refresh<Result>) => {
      remember('session', memory, null)
      setRefresh(ended)
      if (ended.state === 'done') latest.current.onDone(ended.result)
    },
    [memory],
  )

  const finish = useCallback(
    (job: Pick<JobAnswer, 'status' | 'result' | 'error'>) => {
      if (job.status === 'finished')
        end(isResult(job.result) ? { state: 'done', result: job.result } : { state: 'failed', errors: [unexpected] })
      else {
        // An unexpected failure has its stack after the first line.
        const [error = 'The refresh was stopped before it was done.'] = job.error?.split('\n') ?? []
        end({ state: 'failed', errors: [error] })
      }
    },
    [end, isResult],
  )

  const follow = useCallback(
    async (url: string, signal: AbortSignal): Promise<void> => {
      remember('session', memory, url)
      let lost = 0
      while (!signal.aborted) {
        try {
          const job = await calls.getJob(url, signal)
          lost = 0
          if (endedStates.includes(job.status)) return finish(job)
          setRefresh({ state: 'running', progress: job.progress })
        } catch (error) {
          if (signal.aborted) return
          lost += 1
          const isRefused =
            error instanceof CallError && error.status >= 400 && error.status < 500 && error.status !== 429
          if (isRefused || lost > MAX_LOST_POLLS) return end({ state: 'failed', errors: messagesOf(error) })
        }
        await pause(POLL_INTERVAL_MS)
      }
    },
    [memory, finish, end],
  )

  useEffect(() => {
    const controller = new AbortController()
    following.current = controller
    const url = recall('session', memory, isText)
    if (url !== null) {
      setRefresh({ state: 'running', progress: starting })
      void follow(url, controller.signal)
    }
    return () => controller.abort()
  }, [memory, follow])

  function start(begin: () => Promise<Refreshing<Result>>): void {
    const signal = following.current?.signal
    options.onStart()
    setRefresh({ state: 'running', progress: starting })
    begin().then(
      (answer) => {
        if (endedStates.includes(answer.job.status)) finish({ status: answer.job.status, result: answer, error: null })
        else if (signal) {
          setRefresh({ state: 'running', progress: answer.job.progress })
          void follow(answer.job.url, signal)
        }
      },
      (error: unknown) => end({ state: 'failed', errors: messagesOf(error) }),
    )
  }

  const forget = () => setRefresh((shown) => (shown.state === 'running' ? shown : { state: 'idle' }))

  return { refresh, start, forget }
}
