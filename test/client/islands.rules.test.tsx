import { renderToString } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { IslandBoundary } from '../../client/components/island-boundary.tsx'
import { MessageBox } from '../../client/components/message-box.tsx'
import { Shell } from '../../client/components/shell.tsx'
import { islandComponents } from '../../client/islands/server.ts'
import { queueEffects } from '../../src/jobs/paused-queues.ts'
import { classAlert, contact, delivery, onePage, pageContext, recipient, watchedSection } from './samples.ts'

const AddClasses = islandComponents['class-tracker/add-classes']
const ClassAlerts = islandComponents['class-tracker/class-alerts']
const ManageCourseList = islandComponents['class-tracker/manage-course-list']
const context = pageContext()
const allWell = { paused_queues: [], unread_sources: [] }

const alertsProps = {
  class_alerts: [classAlert()],
  recipients: [],
  selected_recipient_id: null,
  q: '',
  pagination: onePage,
  ...allWell,
}
const totals = { recipients: 1, sections: 1, open: 0, observed_at: '2026-11-03T19:05:09Z' }
const addProps = { recipients: [recipient()], totals, pagination: onePage, terms: [], schools: [], ...allWell }
const manageProps = { schools: [], terms: [], sources: [], paused_queues: [], source_notices: [] }

describe('server rendering', () => {
  test.each([
    ['add classes', () => <AddClasses props={addProps} context={context} />],
    ['class alerts', () => <ClassAlerts props={alertsProps} context={context} />],
    ['manage course list', () => <ManageCourseList props={manageProps} context={context} />],
    ['the shell', () => <Shell context={pageContext({ messages: [{ level_tag: 'error', message: 'No' }] })}>x</Shell>],
  ])('%s holds no inline style, script or handler', (_, page) => {
    const html = renderToString(<IslandBoundary>{page()}</IslandBoundary>)
    expect(html).not.toMatch(/\sstyle=|<script|javascript:|\son[a-z]+=/i)
  })

  test('does not depend on the clock', () => {
    const render = () => renderToString(<AddClasses props={addProps} context={context} />)
    expect(render()).toBe(render())
    expect(render()).toContain('Nov 3, 2026, 2:05 PM')
  })
})

describe('empty states', () => {
  test('no recipients, no watches, no contacts', () => {
    const none = renderToString(<AddClasses props={{ ...addProps, recipients: [] }} context={context} />)
    expect(none).toContain('No recipients found')
    const bare = recipient({ watched_sections: [], phone_numbers: [] })
    const empty = renderToString(<AddClasses props={{ ...addProps, recipients: [bare] }} context={context} />)
    expect(empty).toContain('No watched sections')
    expect(empty).toContain('No contact info')
  })

  test('no alerts yet differs from no matches', () => {
    const none = { ...alertsProps, class_alerts: [] }
    expect(renderToString(<ClassAlerts props={none} context={context} />)).toContain('No class alerts found')
    const searched = renderToString(<ClassAlerts props={{ ...none, q: 'zzz' }} context={context} />)
    expect(searched).toContain('No alerts match the current search filter')
    expect(searched).not.toContain('No class alerts found')
  })
})

describe('problems of the tracker', () => {
  const paused = { queue: 'polls', since: '2026-11-03T19:05:00Z', by: 'olga', ...queueEffects.polls }
  const pages = {
    'add classes': (queues: (typeof paused)[]) => (
      <AddClasses props={{ ...addProps, paused_queues: queues }} context={context} />
    ),
    'class alerts': (queues: (typeof paused)[]) => (
      <ClassAlerts props={{ ...alertsProps, paused_queues: queues }} context={context} />
    ),
    'manage course list': (queues: (typeof paused)[]) => (
      <ManageCourseList props={{ ...manageProps, paused_queues: queues }} context={context} />
    ),
  }

  test.each(Object.entries(pages))('%s: a paused queue is a banner, and nothing is live', (_, page) => {
    expect(renderToString(page([]))).toContain('>Live<')
    const html = renderToString(page([paused]))
    expect(html).not.toContain('>Live<')
    const text = html.replaceAll(/<!-- -->|<[^>]+>/g, '')
    expect(text).toContain(
      'Seats are not checked: the polls queue was paused Nov 3, 2026, 2:05 PM by olga. No one is notified of open seats until it is resumed.',
    )
    expect(html).toContain('href="/scheduler/queues/polls/queued/jobs"')
  })

  test('unobserved sections are shown with their number and since when', () => {
    const unread = { id: 1, name: 'Queens', sections: 3, since: '2026-11-03T19:05:00Z' }
    const html = renderToString(<AddClasses props={{ ...addProps, unread_sources: [unread] }} context={context} />)
    expect(html.replaceAll(/<!-- -->|<[^>]+>/g, '')).toContain(
      '3 watched sections at Queens have not been checked since Nov 3, 2026, 2:05 PM.',
    )
  })
})

test('an alert that reached no one says so, and offers no retry', () => {
  const alert = classAlert({ state: 'no_contact', deliveries: [], accepted_at: null })
  const htmlOf = (shown: typeof alert) =>
    renderToString(<ClassAlerts props={{ ...alertsProps, class_alerts: [shown] }} context={context} />)
  const html = htmlOf(alert)
  for (const said of ['No contact info', 'not sent: no contact', 'Add contact']) expect(html).toContain(said)
  expect(html).not.toContain('Retry')
  const unusable = htmlOf({ ...alert, has_contacts: true })
  for (const said of ['No usable contact', 'not sent: no contact', 'View contacts']) expect(unusable).toContain(said)
})

test('every message has an icon, so that color is never the only sign of what it is', () => {
  for (const tone of ['info', 'success', 'warning', 'danger', 'plain'] as const)
    expect(renderToString(<MessageBox tone={tone}>Text</MessageBox>), tone).toContain('<svg class="icon"')
})

test('how long few messages took is not given as a percentage, nor as when people saw them', () => {
  const text = (sent_times: { step: 'accepted' | 'delivered' | 'seen'; measured: number; p95: number | null }[]) => {
    const largest = { messages: 1, measured: 1, last: 1 }
    const times = sent_times.map((time) => ({
      channel: 'phone' as const,
      messages: 1,
      p50: 1,
      largest_group: largest,
      ...time,
    }))
    const message_figures = { sent_times: times, month: [], updated_at: '2026-11-03T19:05:00Z' }
    const html = renderToString(<ClassAlerts props={{ ...alertsProps, message_figures }} context={context} />)
    return /From seat to message<\/span> <span class="muted">([^<]*)/.exec(html)?.[1]
  }
  expect(text([])).toBe('Nothing measured in the last 24 hours.')
  expect(text([{ step: 'accepted', measured: 0, p95: null }])).toBe('Nothing measured in the last 24 hours.')
  const [accepted, delivered] = [
    { step: 'accepted', measured: 21, p95: 300 },
    { step: 'delivered', measured: 1, p95: 980 },
  ] as const
  const seen = { step: 'seen', measured: 1, p95: 120_000 } as const
  expect(text([{ ...accepted, measured: 1 }, delivered, seen])).toBe(
    'In the last 24 hours, 1 text was delivered within 980 ms.',
  )
  expect(text([accepted, { ...delivered, measured: 20 }, seen])).toBe(
    'In the last 24 hours, 95% of texts were delivered within 980 ms.',
  )
})

test('messages come in the same order for everyone, after those that failed', () => {
  const channels = ['discord', 'email', 'push', 'phone'] as const
  const drawnOrder = (failed?: string) => {
    const deliveries = channels.map((channel, id) =>
      delivery({ id, channel, state: channel === failed ? 'failed' : 'delivered' }),
    )
    const alerts = [classAlert({ deliveries })]
    const html = renderToString(<ClassAlerts props={{ ...alertsProps, class_alerts: alerts }} context={context} />)
    return [...html.matchAll(/>(SMS|Notification|Email|Discord) to </g)].map(([, name]) => name)
  }
  expect(drawnOrder()).toEqual(['SMS', 'Notification', 'Email', 'Discord'])
  expect(drawnOrder('email')).toEqual(['Email', 'SMS', 'Notification', 'Discord'])
})

test('a long opening shows failures and the first recipients, and folds the others', () => {
  const people = [1, 2, 3, 4, 5].map((id) =>
    classAlert({
      id,
      recipient: { id, name: `Recipient ${id}` },
      deliveries: [1, 2].map((place) => delivery({ id: id * 10 + place, state: id === 5 ? 'failed' : 'delivered' })),
    }),
  )
  const drawn = (class_alerts: typeof people) =>
    renderToString(<ClassAlerts props={{ ...alertsProps, class_alerts }} context={context} />)
  const [shown = '', summary = '', folded = ''] = drawn(people).split(/<details|<\/summary>/)
  const names = (html: string) => [...html.matchAll(/<bdi>(Recipient \d)/g)].map(([, name]) => name)
  expect(names(shown)).toEqual(['Recipient 5'])
  expect(summary).toContain('4 more recipients')
  const others = ['Recipient 1', 'Recipient 2', 'Recipient 3', 'Recipient 4']
  expect(names(summary)).toEqual(others.slice(0, 3))
  expect(names(folded)).toEqual(others)
  expect(drawn(people.slice(0, 1))).not.toContain('<details')
})

test('a failed delivery says why and can be retried', () => {
  const failed = delivery({
    state: 'failed',
    attempts: 5,
    last_error: 'Unreachable',
    accepted_at: null,
    delivered_at: null,
  })
  const alert = classAlert({ state: 'failed', deliveries: [failed], accepted_at: null })
  const html = renderToString(<ClassAlerts props={{ ...alertsProps, class_alerts: [alert] }} context={context} />)
  expect(html).toContain('Retry')
  expect(html).toContain('Unreachable')
  expect(html).toContain('5 attempts')
})

test('a recipient shows the number of contacts, once for screen readers', () => {
  const phone_numbers = [contact(), contact({ id: 2 })]
  const html = renderToString(
    <AddClasses props={{ ...addProps, recipients: [recipient({ phone_numbers })] }} context={context} />,
  )
  expect(html).toMatch(/aria-hidden="true">2 contacts<\/span><ul[^>]* aria-label="2 contacts">/)
})

test('a recipient whose only contact cannot be reached shows why', () => {
  const dead = contact({ undeliverable: 'The mailbox does not exist.' })
  const shown = (contacts: (typeof dead)[]) =>
    renderToString(
      <AddClasses props={{ ...addProps, recipients: [recipient({ phone_numbers: contacts })] }} context={context} />,
    )
  expect(shown([dead])).toMatch(/Can’t be reached.*The mailbox does not exist\./)
  expect(shown([dead, contact({ id: 2 })])).not.toContain('The mailbox does not exist')
})

test('a source that is read less often than its goal says that its request limit is why', () => {
  const source = {
    id: 1,
    name: 'Old Mill College',
    kind: 'banner8',
    system: 'Ellucian Banner 8',
    last_refreshed: null,
    by: null,
    next_due: null,
    health: 'healthy' as const,
    last_error: null,
    failures: 0,
    last_good_at: null,
    next_try_at: null,
    watches: 2,
    checked_at: null,
    unread_sections: 0,
    unread_since: null,
    effective_interval: 120,
    poll_seconds: 60,
  }
  const shown = (interval: number) => {
    const sources = [{ ...source, effective_interval: interval }]
    return renderToString(<ManageCourseList props={{ ...manageProps, sources }} context={context} />).replaceAll(
      '<!-- -->',
      '',
    )
  }
  expect(shown(120)).toContain('title="Goal: every 60 s">every 2 min (request limit)<')
  expect(shown(60)).toContain('>every 60 s<')
})

test('the course list says when it is refreshed, and leads to where it can be done now', () => {
  const html = renderToString(<ManageCourseList props={manageProps} context={context} />)
  expect(html).toContain('Refreshed nightly. <a class="only-script" href="#refresh">Refresh now.</a>')
  expect(html).toContain('id="refresh"')
})

test('a watched section shows its seats, its status as a word, and when it was checked', () => {
  const watched = [watchedSection({ status: 'open', seats_available: 3 })]
  const html = renderToString(
    <AddClasses props={{ ...addProps, recipients: [recipient({ watched_sections: watched })] }} context={context} />,
  )
  expect(html).toContain('<strong>3</strong> left of 120')
  expect(html).toContain('Open')
  expect(html).toContain('CMIS 2300 - Business Analytics')
})

test('page links appear only if there is more than one page', () => {
  const one = renderToString(<AddClasses props={addProps} context={context} />)
  expect(one).not.toContain('aria-label="Pages"')
  const pagination = { ...onePage, total_pages: 3, has_next: true, next_page_number: 2 }
  expect(renderToString(<AddClasses props={{ ...addProps, pagination }} context={context} />)).toContain('?page=2')
})
