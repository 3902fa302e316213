import { RATED_SERVICES, servicesOf, setFault } from '../control/control.ts'
import { type Fault, MODES } from '../faults.ts'
import { escapeHtml, formOf, type Answer, type Call } from '../http.ts'
import type { World } from '../world.ts'
import { hidden, noticeOf, page, seeOther } from './layout.ts'

const MEANINGS: Record<(typeof MODES)[number], string> = {
  http_500: 'fails with 500',
  http_429: 'says it is too much (429)',
  timeout: 'never answers',
  reset: 'drops the connection',
  empty: 'succeeds with nothing in it',
  maintenance_html: 'shows a maintenance page',
  truncated: 'breaks off in the middle',
  slow: 'answers late',
  stale_list: 'lists what was true until now; the page of one section tells the truth',
  accept_then_timeout: 'takes the message, then never answers',
  accept_then_reset: 'takes the message, then drops the connection',
  rate: 'takes only so many messages a second (429)',
}

const isForMessages = (mode: string): boolean => mode.startsWith('accept_then')

/** What is broken, with a way to mend it, and one switch for all services. */
export function switches(world: World): string {
  const broken = world.faults
    .list()
    .map((fault) => `<div class="card"><p>${escapeHtml(fault.service)}: ${effectOf(fault)}</p>${mend(fault)}</div>`)
  const services = servicesOf(world).map((service) => `<option>${escapeHtml(service)}</option>`)
  const modes = MODES.filter((mode) => !isForMessages(mode) && mode !== 'rate' && mode !== 'stale_list')
  const options = modes.map((mode) => `<option value="${mode}">${MEANINGS[mode]}</option>`)
  return `<div class="grid">${broken.join('')}</div><form class="row" method="post" action="/faults"><label>Service <select name="service">${services.join('')}</select></label>
<label>It <select name="mode">${options.join('')}</select></label><button>Break it</button></form>`
}

function effectOf({ mode, times }: Fault): string {
  return `<b class="status waitlisted">${MEANINGS[mode]}${times === null ? '' : `, ${times} more`}</b>`
}

function mend({ service }: Fault): string {
  return `<form method="post" action="/faults/clear">${hidden({ service })}<button>Mend it</button></form>`
}

/** One switch per service. */
export function faultsPage(world: World, call: Call): Answer {
  const active = new Map(world.faults.list().map((fault) => [fault.service, fault]))
  const cards = servicesOf(world).map((service) => {
    const fault = active.get(service)
    const isSchool = world.catalog.schools.some((school) => school.source === service)
    const isRated = RATED_SERVICES.includes(service)
    const modes = MODES.filter((mode) => {
      if (mode === 'rate') return isRated
      if (mode === 'stale_list') return isSchool
      return !isForMessages(mode) || service === 'sms' || service === 'email'
    })
    const perSecond = isRated
      ? '<label>A second <input name="per_second" type="number" min="1" placeholder="for the rate"></label>'
      : ''
    const options = modes.map(
      (mode) => `<option value="${mode}"${fault?.mode === mode ? ' selected' : ''}>${MEANINGS[mode]}</option>`,
    )
    const now = fault ? effectOf(fault) : '<span class="status open">works</span>'
    const clear = fault ? mend(fault) : ''
    return `<div class="card"><h2>${escapeHtml(service)}</h2><p>${now}</p><form class="row" method="post" action="/faults">${hidden({ service })}
<label>It <select name="mode">${options.join('')}</select></label><label>Times <input name="times" type="number" min="1" placeholder="until cleared"></label>${perSecond}<button class="primary">Break it</button></form>${clear}</div>`
  })
  return page(
    world,
    '/faults',
    'Faults',
    `<p class="lead">Break what the app depends on, and watch what it does.</p><div class="grid">${cards.join('')}</div>`,
    noticeOf(call.url.searchParams),
  )
}

export function breakFromPage(world: World, call: Call): Answer {
  const form = formOf(call)
  const times = form.get('times')
  const perSecond = form.get('per_second')
  const answer = setFault(world, {
    service: form.get('service'),
    mode: form.get('mode'),
    ...(times ? { times: Number(times) } : {}),
    ...(perSecond ? { per_second: Number(perSecond) } : {}),
  })
  const text = answer.status === 200 ? `${form.get('service')} is broken.` : String(answer.body)
  return seeOther('/faults', { text, bad: answer.status !== 200 })
}

export function repairFromPage(world: World, call: Call): Answer {
  const service = formOf(call).get('service') ?? ''
  world.faults.clear(service)
  return seeOther('/faults', { text: `${service} works again.` })
}
