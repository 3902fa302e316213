import { banner9 } from '../../../src/sources/banner9/banner9.ts'
import { FAKE_BANNER, fakeRow, TERM } from '../fake-banner.ts'
import type { KindFixtures } from '../kind-fixtures.ts'
import { groupOf } from '../lanes.ts'

const FULL = { enrollment: 30, seatsAvailable: 0, openSection: false }
const LIST = { waitCapacity: 5, waitCount: 5, waitAvailable: 0 }
const SHARED = { crossList: 'AB', crossListCapacity: 50, crossListCount: 50, crossListAvailable: 0 }
const MEETING = {
  category: '01',
  meetingTime: { beginTime: '0900', endTime: '1015', monday: true, wednesday: true, building: 'HALL', room: '210' },
}

const ROWS = [
  fakeRow(10001, { meetingsFaculty: [MEETING], faculty: [{ displayName: 'Noether, Emmy', primaryIndicator: true }] }),
  fakeRow(10002, { ...FULL, waitCapacity: 0, waitCount: 0, waitAvailable: 0 }),
  fakeRow(10003, { ...FULL, ...LIST, courseNumber: '2900H' }),
  fakeRow(10004, { ...SHARED, ...LIST, waitCount: 0, waitAvailable: 5 }),
]

const FILES = {
  bound: JSON.stringify({ fwdURL: '/StudentRegistrationSsb/ssb/classSearch/classSearch' }),
  reset: 'true',
  sections: JSON.stringify({
    success: true,
    totalCount: ROWS.length,
    data: ROWS,
    pageOffset: 0,
    pageMaxSize: 500,
    sectionsFetchedCount: ROWS.length,
    pathMode: 'search',
    searchResultsConfigs: [{ config: 'courseTitle', display: 'Title' }],
    ztcEncodedImage: null,
  }),
}

const BY_CALL: Readonly<Record<string, keyof typeof FILES>> = {
  'term/search': 'bound',
  'classSearch/resetDataForm': 'reset',
  'searchResults/searchResults': 'sections',
}

export const banner9Fixtures: KindFixtures = {
  source: banner9,
  address: FAKE_BANNER,
  group: groupOf({ term: TERM, subject: 'MATH' }),
  truth: { 10001: 'open', 10002: 'closed', 10003: 'waitlisted', 10004: 'waitlisted' },
  files: FILES,
  answer: ({ url }) => BY_CALL[url.pathname.replace('/StudentRegistrationSsb/ssb/', '')] ?? null,
  titleWord: 'Algebra',
  altered: ['sections', 'bound'],
}
