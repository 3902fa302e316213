import { describe, expect, it } from 'vitest'
import { readDetailPage } from '../../src/sources/cuny/detail-page.ts'
import { judge, NO_FIGURES } from '../../src/sources/judge.ts'
import type { Status } from '../../src/sources/source.ts'
import { ASKED, type DetailOptions, detailHtml } from './cuny-page.ts'
import { believed } from './lanes.ts'
import { recordedDetails } from './recorded.ts'

const asked = { section_key: '39021', school: ASKED.school, term: ASKED.term }
const read = (options: DetailOptions = {}) => readDetailPage(detailHtml(options), asked)

function statusOf(html: string): Status | 'not believed' {
  const answer = readDetailPage(html, asked)
  return answer.known ? judge(answer.value).status : 'not believed'
}

describe('the page of one class', () => {
  it('has its status and five figures', () => {
    expect(
      believed(read({ figures: [30, 10, 30, 2, 0], status: ['status_waiting.gif', 'Wait List', 'Wait List'] })),
    ).toEqual({
      section_key: '39021',
      stated: 'waitlisted',
      figures: {
        ...NO_FIGURES,
        capacity: 30,
        waitlist_capacity: 10,
        enrolled: 30,
        waitlist_total: 2,
        available: 0,
      },
      doubts: [],
    })
  })

  it.each<[string, Status | 'not believed', DetailOptions]>([
    ['that is open', 'open', {}],
    ['with seats kept back', 'closed', { status: ['status_closed.gif', 'Closed', 'Closed'] }],
    ['of the years before 2022', 'open', { isOld: true }],
    ['without a picture', 'open', { status: ['', '', 'Open'] }],
    ['without a word', 'open', { status: ['status_open.gif', 'Open', ''] }],
    ['whose picture and word disagree', 'unknown', { status: ['status_open.gif', 'Open', 'Closed'] }],
    ['whose title and file disagree', 'unknown', { status: ['status_open.gif', 'Closed', 'Open'] }],
    ['with a new word', 'unknown', { status: ['status_open.gif', 'Open', 'Open - Reserved'] }],
    ['without any status', 'unknown', { status: ['', '', ''] }],
    ['open without a seat', 'unknown', { figures: [30, 0, 30, 0, 0] }],
    ['open with people waiting', 'waitlisted', { figures: [30, 10, 25, 3, 5] }],
    ['with more people than seats', 'unknown', { figures: [30, 0, 35, 0, 0] }],
    ['with figures that contradict each other', 'unknown', { figures: [30, 0, 25, 0, 9] }],
    ['with a blank figure', 'unknown', { figures: [30, 0, 25, '', 5] }],
    ['with half a seat', 'unknown', { figures: [30, 0, 25, 0, '4.5'] }],
    ['with four figures', 'not believed', { figures: [30, 0, 25, 0] }],
    ['with six figures', 'not believed', { figures: [30, 0, 25, 0, 5, 1] }],
    ['of another class', 'not believed', { number: '39022' }],
    ['of another college', 'not believed', { school: 'Hunter College' }],
    ['of a college that begins alike', 'not believed', { school: 'Queens College North' }],
    ['of another term', 'not believed', { term: '2027 Spring Term' }],
    ['of a term that begins alike', 'not believed', { term: `${ASKED.term} 2` }],
    ['without data', 'not believed', { number: '' }],
  ])('%s is %s', (_what, status, options) => {
    expect(statusOf(detailHtml(options))).toBe(status)
  })

  it('without data says nothing, which a new session would not change', () => {
    expect(read({ number: '' })).toMatchObject({ reason: 'incomplete' })
    expect(read({ number: '39022' })).toMatchObject({ reason: 'wrong_scope' })
  })

  it('is believed only if its figures are complete', () => {
    const whole = detailHtml({})
    const end = whole.indexOf('</table>', whole.indexOf('Class Availability')) + '</table>'.length
    expect(statusOf(whole.slice(0, end))).toBe('open')
    for (let at = 0; at < end; at += 7) expect(statusOf(whole.slice(0, at))).toBe('not believed')
  })

  it('matches the recorded ones', () => {
    for (const { html, ...expected } of [
      { html: detailHtml({}), ...asked, figures: { capacity: 30, enrolled: 25, available: 5 } },
      ...recordedDetails(),
    ]) {
      const seen = believed(readDetailPage(html, expected))
      expect(seen).toMatchObject({ stated: 'open', figures: expected.figures, doubts: [] })
      expect(judge(seen).status).toBe('open')
    }
  })
})
