import { setSection } from '../control/control.ts'
import { OTHER_SYSTEMS } from '../control/other-systems.ts'
import { escapeHtml, formOf, type Answer, type Call } from '../http.ts'
import { seatsAvailable, statusOf } from '../schools/seats.ts'
import type { School, Section, Term } from '../schools/types.ts'
import type { World } from '../world.ts'
import { hidden, noticeOf, page, seeOther } from './layout.ts'

const PAGE = 50

function slugOf(school: School): string {
  return school.banner?.slug ?? school.only?.slug ?? (school.institution ?? '').toLowerCase()
}

function systemOf({ banner, only, institution }: School): string {
  if (banner) return `Banner 9 at /schools/${banner.slug}/StudentRegistrationSsb/ssb`
  return only === null ? `CUNY Global Search, ${institution}` : `${only.label} at ${only.path}`
}

/** A card for each school; with a way `back`, also a seat of its first section to open or close. */
export function schoolCards(world: World, back: string | null = null): string {
  const cards = world.catalog.schools.map((school) => {
    const sections = world.catalog.termsOf(school).flatMap((term) => world.catalog.of(school, term))
    const open = sections.filter((section) => statusOf(section) === 'open').length
    const others = OTHER_SYSTEMS.filter((system) => system.school === school.name)
    const kind = [systemOf(school), ...others.map(({ source }) => `the same seats: ${source}`)].join('; ')
    const first = sections.find(({ offered, term }) => offered && term === world.catalog.terms[1])
    return `<div class="card"><a href="/catalog/${slugOf(school)}"><b>${escapeHtml(school.name)}</b></a><br>${sections.length} sections, ${open} open<br><span class="muted">${escapeHtml(kind)}</span>${back === null || first === undefined ? '' : seat(first, back)}</div>`
  })
  return cards.join('')
}

function seat(section: Section, back: string): string {
  const { course, code } = section
  const status = statusOf(section)
  return `<p><b>${escapeHtml(`${course.subject.code} ${course.level}-${code}`)}</b> <span class="status ${status}">${status}</span></p>${seatForm(section, back)}`
}

export function schoolsPage(world: World, call: Call): Answer {
  return page(
    world,
    '/catalog',
    'Schools',
    `<p class="lead">Open and close seats here, as students would by coming and going.</p><div class="grid">${schoolCards(world)}</div>`,
    noticeOf(call.url.searchParams),
  )
}

function matches(section: Section, words: readonly string[]): boolean {
  const { course, number, code, topic, instructors } = section
  const all =
    `${course.subject.code} ${course.level} ${course.title} ${topic ?? ''} ${number} ${code} ${instructors.map(({ last }) => last).join(' ')}`.toLowerCase()
  return words.every((word) => all.includes(word))
}

function row(section: Section, back: string): string {
  const { course, seats, number } = section
  const status = statusOf(section)
  const names = section.instructors.map(({ first, last }) => `${first} ${last}`).join(', ') || 'no instructor'
  const list = seats.waitCapacity > 0 || seats.waitCount > 0 ? `, ${seats.waitCount} waiting` : ''
  const shared = section.crossList
    ? `, shared with ${section.crossList.members
        .filter((member) => member !== section)
        .map((member) => member.number)
        .join(', ')}`
    : ''
  return `<tr id="s${number}"><td data-label="Number" class="n">${number}</td>
<td><b>${escapeHtml(`${course.subject.code} ${course.level}-${section.code}`)}</b> ${escapeHtml(section.topic ?? course.title)}<br><span class="muted">${escapeHtml(names)}</span></td>
<td data-label="Status"><span class="status ${status}">${status}</span></td>
<td data-label="Seats" class="n">${seatsAvailable(section)} / ${seats.capacity}${list}${escapeHtml(shared)}</td>
<td>${seatForm(section, `${back}#s${number}`)}</td></tr>`
}

/** Buttons for the states that the section does not have. */
function seatForm(section: Section, back: string): string {
  const { school, term, number } = section
  const status = statusOf(section)
  const act = (wanted: string, label: string): string =>
    status === wanted ? '' : `<button name="status" value="${wanted}">${label}</button>`
  return `<form class="row" method="post" action="/catalog/set">${hidden({ source: school.source, school: school.name, term: term.name, section: number, back })}${act('open', 'Open a seat')}${act('waitlisted', 'Waitlist')}${act('closed', 'Close')}</form>`
}

function chooser(terms: readonly Term[], term: Term, query: URLSearchParams): string {
  const option = (value: string, label: string, chosen: boolean): string =>
    `<option value="${value}"${chosen ? ' selected' : ''}>${label}</option>`
  const status = query.get('status') ?? ''
  return `<form class="row" method="get"><label>Term <select name="term">${terms.map((each) => option(each.name, each.name, each === term)).join('')}</select></label>
<label>Status <select name="status">${['', 'open', 'waitlisted', 'closed'].map((each) => option(each, each || 'any', each === status)).join('')}</select></label>
<label>Find <input type="search" name="q" value="${escapeHtml(query.get('q') ?? '')}" placeholder="course, title, number, name"></label><button class="primary">Show</button></form>`
}

/** The sections of one school, filtered by term, status and words. */
export function schoolPage(world: World, call: Call, slug: string): Answer {
  const school = world.catalog.schools.find((each) => slugOf(each) === slug)
  if (!school) return page(world, '/catalog', 'No such school', '<p><a href="/catalog">All schools</a></p>', null, 404)
  const query = call.url.searchParams
  const terms = world.catalog.termsOf(school)
  const current = world.catalog.terms[1]
  const term =
    terms.find(({ name }) => name === query.get('term')) ?? terms.find((each) => each === current) ?? terms[0]
  if (!term) return page(world, '/catalog', school.name, '<p>No terms.</p>')
  const words = (query.get('q') ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  const status = query.get('status') ?? ''
  const found = world.catalog
    .of(school, term)
    .filter((section) => section.offered && matches(section, words) && (status === '' || statusOf(section) === status))
  const number = Math.min(
    Math.max(1, Number.parseInt(query.get('page') ?? '1', 10) || 1),
    Math.max(1, Math.ceil(found.length / PAGE)),
  )
  const address = (to: number): string =>
    `/catalog/${slug}?${new URLSearchParams({ term: term.name, status, q: query.get('q') ?? '', page: String(to) })}`
  const rows = found.slice((number - 1) * PAGE, number * PAGE).map((section) => row(section, address(number)))
  const link = (to: number, label: string): string =>
    to >= 1 && to <= Math.ceil(found.length / PAGE) ? `<a href="${escapeHtml(address(to))}">${label}</a>` : ''
  const table = `<table><thead><tr><th>Number</th><th>Section</th><th>Status</th><th>Seats</th><th>Act</th></tr></thead><tbody>${rows.join('')}</tbody></table>`
  return page(
    world,
    '/catalog',
    school.name,
    `${chooser(terms, term, query)}<p class="muted">${found.length === 1 ? '1 section' : `${found.length} sections`}</p>${rows.length > 0 ? table : '<p class="card">No section is like that.</p>'}
<p class="pages">${link(number - 1, 'Previous')}<span class="muted">Page ${number}</span>${link(number + 1, 'Next')}</p>`,
    noticeOf(query),
  )
}

export function setFromPage(world: World, call: Call): Answer {
  const form = Object.fromEntries(formOf(call))
  const answer = setSection(world, {
    source: form.source,
    school: form.school,
    term: form.term,
    section: form.section,
    status: form.status,
  })
  const back = form.back ?? '/catalog'
  if (answer.status !== 200) return seeOther(back, { text: String(answer.body), bad: true })
  return seeOther(back, { text: `${form.section} at ${form.school} is now ${form.status}.` })
}
