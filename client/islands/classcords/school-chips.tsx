import type { School } from '../../../src/classcords/contract.ts'
import { hueOf } from '../../components/hue.ts'
import { schoolHref } from './server-text.ts'

/** Schools to look at, each with its hue. On a phone one line to push aside. */
export function SchoolChips({ schools }: { schools: readonly School[] }) {
  if (schools.length === 0) return null
  return (
    <ul className="chips chips-line" aria-label="Schools">
      {schools.map((school) => (
        <li key={school.id}>
          <a className="chip" href={schoolHref(school)}>
            <span className={`swatch ${hueOf(school.name)}`} aria-hidden="true" />
            <bdi>{school.name}</bdi>
          </a>
        </li>
      ))}
    </ul>
  )
}
