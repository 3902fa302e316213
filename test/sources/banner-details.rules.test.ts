import { describe, expect, it } from 'vitest'
import { readEnrollmentInfo } from '../../src/sources/banner9/enrollment-info.ts'
import { judge, NO_FIGURES } from '../../src/sources/judge.ts'
import type { Status } from '../../src/sources/source.ts'
import { believed } from './lanes.ts'
import { recordedEnrollmentInfo } from './recorded.ts'

const NAMES = [
  'Enrollment Actual',
  'Enrollment Maximum',
  'Enrollment Seats Available',
  'Waitlist Capacity',
  'Waitlist Actual',
  'Waitlist Seats Available',
]

type Shown = string | number

/** The fragment as schools send it, with its figures in the order of {@link NAMES}. */
function fragment(...figures: Shown[]): string {
  const lines = figures.map(
    (figure, index) =>
      `<span class="status-bold">${NAMES[index]}:</span> <span dir="ltr"> ${figure}  </span><br/>\n${index === 2 ? '<hr/>\n' : ''}`,
  )
  return lines.join('')
}

const read = (html: string) => readEnrollmentInfo(html, '10001')

function statusOf(html: string): Status | 'not believed' {
  const answer = read(html)
  return answer.known ? judge(answer.value).status : 'not believed'
}

describe('the enrollment details of a section', () => {
  it('have all figures except those of a shared room', () => {
    expect(believed(read(fragment(25, 30, 5, 10, 2, 8)))).toEqual({
      section_key: '10001',
      stated: null,
      figures: {
        ...NO_FIGURES,
        enrolled: 25,
        capacity: 30,
        available: 5,
        waitlist_capacity: 10,
        waitlist_total: 2,
        waitlist_available: 8,
      },
      doubts: [],
    })
  })

  it('may have only enrollment and maximum', () => {
    expect(believed(read(fragment(25, 30)))).toMatchObject({ figures: { enrolled: 25, capacity: 30 }, doubts: [] })
    expect(statusOf(fragment(25, 30))).toBe('open')
    expect(statusOf(fragment(30, 30))).toBe('closed')
  })

  it('are identified by their labels, regardless of order, case and markup', () => {
    const shuffled = `<section><b>WAITLIST ACTUAL</b> <i>0</i> <b>Waitlist Seats Available:</b> <i>9</i>
      <b>Waitlist Capacity :</b><i>9</i><p>Enrollment Seats Available: <b>-2</b></p>
      <p>Enrollment Maximum:<b>&nbsp;30</b></p><p>Enrollment&nbsp;Actual: <b>32</b></p></section>`
    expect(judge(believed(read(shuffled)))).toMatchObject({
      status: 'waitlisted',
      seats_available: -2,
      capacity: 30,
      waitlist_available: 9,
    })
  })

  it.each<[string, string, Status | 'not believed']>([
    ['blanks, as for a section that does not exist', fragment('', '', '', '', '', ''), 'unknown'],
    ['blanks in the short form', fragment('', ''), 'unknown'],
    ['one blank', fragment(25, 30, 5, '', 0, 0), 'unknown'],
    ['half a seat', fragment(25, 30, '4.5', 0, 0, 0), 'unknown'],
    ['a word', fragment(25, 30, 'some', 0, 0, 0), 'unknown'],
    ['a number of ten digits', fragment(25, 30, '5000000000', 0, 0, 0), 'unknown'],
    ['a figure with more behind it', fragment(25, '30 of 40'), 'unknown'],
    ['figures that contradict each other', fragment(30, 30, 5, 0, 0, 0), 'unknown'],
    ['three figures of six', fragment(25, 30, 5), 'unknown'],
    ['a figure it breaks off in', fragment(25, 100).slice(0, -'0  </span><br/>\n'.length), 'unknown'],
    ['its first figure alone', fragment(25), 'not believed'],
    ['a figure twice', fragment(25, 30) + fragment(30, 30), 'not believed'],
    ['a maintenance page', '<html><body><h1>We will be back</h1></body></html>', 'not believed'],
    ['a script that looks like it', `<script>${fragment(25, 30)}</script>`, 'not believed'],
    ['nothing', '', 'not believed'],
  ])('with %s: %s', (_what, html, status) => {
    expect(statusOf(html)).toBe(status)
  })

  it.each<[Status, string]>([
    ['open', fragment(25, 130, 105, 10, 0, 10)],
    ['closed', fragment(130, 130, 0, 0, 0, 0)],
    ['open', fragment(25, 130)],
  ])('that are %s are nothing else wherever they break off', (status, html) => {
    for (let at = 0; at <= html.length; at++) {
      expect(['not believed', 'unknown', status]).toContain(statusOf(html.slice(0, at)))
    }
  })

  it('have no figure where they are blank', () => {
    const { figures, doubts } = believed(read(fragment('', '', '', '', '', '')))
    expect([figures, doubts.length]).toEqual([NO_FIGURES, 6])
  })

  it('match the recorded ones', () => {
    for (const { html, figures } of [
      { html: fragment(94, 155, 61, 0, 0, 0), figures: [94, 155, 61, 0, 0, 0] },
      ...recordedEnrollmentInfo(),
    ]) {
      const { figures: seen, doubts } = believed(read(html))
      const { enrolled, capacity, available, waitlist_capacity, waitlist_total, waitlist_available } = seen
      expect([enrolled, capacity, available, waitlist_capacity, waitlist_total, waitlist_available]).toEqual(figures)
      expect(doubts).toEqual([])
      expect(statusOf(html)).toBe('open')
    }
  })
})
