import { expect, test } from 'vitest'
import { preventAutolinks } from '../../src/notify/compose/prevent-autolinks.ts'
import { composeAlerts } from '../../src/notify/compose.ts'
import { gsmText } from '../../src/notify/sms/transliterate.ts'
import { countSegments } from '../../src/notify/sms/segments.ts'
import { unshownFacts } from '../notify/unshown-facts.ts'
import { banner9 } from '../../src/sources/banner9/banner9.ts'
import { readSearchPage } from '../../src/sources/banner9/search-page.ts'
import { fose } from '../../src/sources/fose/fose.ts'
import { readRow } from '../../src/sources/fose/rows.ts'
import { rutgers } from '../../src/sources/rutgers/rutgers.ts'
import { believed, collected, groupOf, openCounted } from './lanes.ts'
import { recordedClasses, recordedRutgersCourses, recordedSearches } from './recorded.ts'
import { rutgersFixtures } from './rutgers/fixtures.ts'

interface Named {
  label: string
  code: string
  level: string
  title: string
  section: string
  number: string
}

/** All sections of three whole terms and a recorded subject, as our sources read them. */
async function recordedSections(): Promise<Named[]> {
  const banner = recordedSearches().flatMap(({ bytes, rows }) => {
    const subject = [...new Set(rows.map((row) => row.subject))].join(',')
    const read = readSearchPage(
      { url: '', contentType: 'application/json', bytes },
      { term: rows[0]?.term ?? '', subject },
    )
    return believed(read).sections.map((one) => ({ ...one, label: banner9.number_label }))
  })
  const classes = recordedClasses().flatMap(({ results }) =>
    results.length < 1000 ? [] : results.flatMap((row) => readRow(row)?.section ?? []),
  )
  const [term] = recordedRutgersCourses()
  if (!term) return []
  const indexes = term.courses.flatMap((course) => course.sections.map(({ index }) => index))
  const fetch = (address: string) =>
    Promise.resolve(
      new Response(address.includes('openSections') ? JSON.stringify(indexes) : new Uint8Array(term.bytes)),
    )
  const { lane } = openCounted(rutgers, rutgersFixtures.address, { fetch })
  const answers = await collected(lane.wholeTerm?.(groupOf({ term: '12023', school: 'NB', subject: '' })))
  return [
    ...banner,
    ...classes.map((one) => ({ ...one, label: fose.number_label })),
    ...answers.flatMap((answer) => believed(answer).sections).map((one) => ({ ...one, label: rutgers.number_label })),
  ]
}

const LINK = `https://${'h'.repeat(27)}.example/s/Ab3dE6gH9j`
const around = {
  channel: 'phone',
  product_name: 'Class Cords',
  link: LINK,
  recipient_url: null,
  unsubscribe_url: null,
} as const

test('texts about recorded sections contain the whole title in 90 %, also with the stop notice in 58 %, and always the number', async () => {
  // Every fourth: the shares of all of them differ by less than half a percent.
  const sections = (await recordedSections()).filter((_, place) => place % 4 === 0)
  if (sections.length === 0) return
  const share = { plain: 0, first: 0 }
  for (const one of sections) {
    const facts = { ...unshownFacts, ...one, kind: 'opening', seats_available: 3, capacity: 30 } as const
    for (const which of ['plain', 'first'] as const) {
      const text = composeAlerts([facts], { ...around, is_first: which === 'first' }).text
      const { segments, encoding } = countSegments(text)
      if (segments !== 1 || encoding !== 'GSM-7') expect(text).toBe('one segment')
      if (!text.includes(`${one.label} ${one.number}, 3 left. ${LINK}`)) expect(text).toContain(one.number)
      if (text.includes(` ${gsmText(preventAutolinks(one.title))}, `)) share[which] += 1
    }
  }
  expect(share.plain / sections.length).toBeGreaterThan(0.9)
  expect(share.first / sections.length).toBeGreaterThan(0.58)
})
