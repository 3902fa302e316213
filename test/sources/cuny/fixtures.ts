import { cuny } from '../../../src/sources/cuny/cuny.ts'
import { ASKED, resultsHtml } from '../cuny-page.ts'
import type { KindFixtures } from '../kind-fixtures.ts'
import { groupOf } from '../lanes.ts'

const CRITERIA = `<html><form name=class_search_form>
<select id=subject_ld name=subject_name><option value="">&nbsp;</option><option value="DAN">${ASKED.subject}</option></select>
<select name=courseCareer><option value=""></option><option value="UGRD">${ASKED.career}</option></select></form></html>`

const RESULTS = resultsHtml([
  {
    heading: 'DAN 101 - Dance',
    rows: [
      { number: '30001', status: ['status_open.gif', 'Open'] },
      { number: '30002', status: ['status_closed.gif', 'Closed'], section: '02-LEC Seven Wk 2' },
    ],
  },
  {
    heading: 'DAN 2200H - Ballet',
    rows: [{ number: '30003', status: ['status_waiting.gif', 'Wait'], times: 'Mo 9:00AM - 9:50AM<br>TBA' }],
  },
])

export const cunyFixtures: KindFixtures = {
  source: cuny,
  address: { url: 'https://search.example.edu/CFGlobalSearchTool', settings: {} },
  group: groupOf({
    school: 'QNS01',
    school_name: ASKED.school,
    term: '1269',
    term_name: ASKED.term,
    subject: 'DAN',
    subject_name: ASKED.subject,
    career: 'UGRD',
  }),
  truth: { 30001: 'open', 30002: 'closed', 30003: 'waitlisted' },
  files: { criteria: CRITERIA, results: RESULTS },
  answer: ({ body }) => (new URLSearchParams(body).has('next_btn') ? 'criteria' : 'results'),
  titleWord: 'Ballet',
  altered: ['results'],
}
