import { useCallback, useEffect, useRef, useState } from 'react'
import type { LiveFrame } from '../../../src/scheduler/live/contract.ts'
import type { PageContext, PageData } from '../../../src/web/contract.ts'
import { call } from '../../api.ts'
import { CallError } from '../../errors.ts'
import type { Answer, LinkOptions, LinkState, LiveLink } from './live-link.ts'

/** While frames come, the figures that they do not carry (charts, health) are asked for this often, ms. */
const figuresEvery = 10_000
/** Answers that end it. */
const endings = new Map<number, Answer>([
  [401, 'signed-out'],
  [403, 'signed-out'],
  [404, 'gone'],
])

/** `all`: what is shown is replaced. `figures`: the reader is in the middle of something, only figures move. */
export type Why = 'all' | 'figures'

interface LiveOptions<Props> {
  context: PageContext
  /** Addresses of the sockets; the same list as long as the same is watched. */
  paths: readonly string[]
  /** `again` loads the page's data anew: for what a frame only hints at. */
  onFrame: (frame: LiveFrame, again: () => void) => void
  onPage: (props: Props, why: Why) => void
  /** Where the page's data is asked for: its own address when absent. */
  dataPath?: () => string
}

const ownAddress = () => `${location.pathname}${location.search}`

/**
 * Keeps a page alive while it is looked at: frames from its queues, and its data anew when the reader comes back to it, after
 * a broken connection, and now and then for the charts. `reload` asks now.
 */
export function useLive<Props>({ context, paths, onFrame, onPage, dataPath = ownAddress }: LiveOptions<Props>): {
  state: LinkState
  reload: (why?: Why) => Promise<void>
} {
  const [state, setState] = useState<LinkState>('live')
  const handlers = useRef({ onFrame, onPage, dataPath })
  const token = useRef(context.csrf_token)
  const loads = useRef(0)
  useEffect(() => {
    handlers.current = { onFrame, onPage, dataPath }
  }, [onFrame, onPage, dataPath])

  const reload = useCallback(async (why: Why = 'all') => {
    loads.current += 1
    const load = loads.current
    const address = handlers.current.dataPath()
    const page = await call<PageData<Props>>(address, { csrfToken: token.current, timeout: 12_000 })
    token.current = page.context.csrf_token
    // Only the newest answer counts, and only for what the address says now.
    if (load === loads.current && address === handlers.current.dataPath()) handlers.current.onPage(page.props, why)
  }, [])

  useEffect(() => {
    let figuresAt = Date.now()
    const ask = (why: Why): void => {
      // What fails now is asked again with the next frame.
      reload(why).catch(() => undefined)
    }
    let link: LiveLink | null = null
    let hasLeft = false
    const options: LinkOptions = {
      paths,
      onFrame(frame) {
        handlers.current.onFrame(frame, () => ask('all'))
        if (Date.now() - figuresAt < figuresEvery) return
        figuresAt = Date.now()
        ask('figures')
      },
      onState: setState,
      async reload() {
        try {
          await reload()
          return 'well'
        } catch (error) {
          const ending = error instanceof CallError ? endings.get(error.status) : undefined
          if (ending === undefined) throw error
          return ending
        }
      },
    }
    function look(): void {
      if (document.hidden || hasLeft) link?.stop()
      else link?.start()
    }
    // The page can be read and used before this has come.
    import('./live-link.ts').then(
      (module) => {
        link = new module.LiveLink(options)
        look()
      },
      () => setState('late'),
    )
    document.addEventListener('visibilitychange', look)
    window.addEventListener('online', look)
    return () => {
      hasLeft = true
      link?.stop()
      document.removeEventListener('visibilitychange', look)
      window.removeEventListener('online', look)
    }
  }, [paths, reload])

  return { state, reload }
}
