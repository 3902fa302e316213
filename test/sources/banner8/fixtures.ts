import { banner8 } from '../../../src/sources/banner8/banner8.ts'
import type { KindFixtures } from '../kind-fixtures.ts'
import { groupOf } from '../lanes.ts'
import { detailsHtml, LISTING, SUBJECTS, TERMS } from './pages.ts'

const DETAILS: Readonly<Record<string, string>> = {
  10001: detailsHtml({
    heading: 'Topics - Knots &amp; Links - 10001 - MATH 1010 - A01',
    seats: [30, 27, 3],
    waiting: [20, 0, 20],
    shared: [50, 47, 3],
  }),
  8145: detailsHtml({ heading: 'Algebra - 8145 - MATH 2900H - 01', seats: [20, 22, -2], waiting: [0, 0, 0] }),
  10003: detailsHtml({ heading: 'Analysis - 10003 - MATH 3000 - B02', seats: [25, 22, 3], waiting: [10, 4, 6] }),
}
const BY_CALL: Readonly<Record<string, string>> = {
  'bwckschd.p_disp_dyn_sched': 'terms',
  'bwckgens.p_proc_term_date': 'subjects',
  'bwckschd.p_get_crse_unsec': 'listing',
  'bwckctlg.p_disp_listcrse': 'listing',
}

/** The seats of each section are on a separate page; the last one has seats reserved for the waitlist. */
export const banner8Fixtures: KindFixtures = {
  source: banner8,
  address: { url: 'https://selfservice.example.edu/PROD', settings: {} },
  group: groupOf({ term: '202710', subject: 'MATH' }),
  truth: { 10001: 'open', 8145: 'closed', 10003: 'waitlisted' },
  files: { terms: TERMS, subjects: SUBJECTS, listing: LISTING, ...DETAILS },
  answer: ({ url }) => {
    const procedure = url.pathname.replace('/PROD/', '')
    if (procedure === 'bwckschd.p_disp_detail_sched') return url.searchParams.get('crn_in')
    return BY_CALL[procedure] ?? null
  },
  titleWord: 'Algebra',
  altered: ['listing', '10001', '8145', '10003'],
}
