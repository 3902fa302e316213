import type { School } from '../../../src/classcords/contract.ts'
import { hueOf } from '../../components/hue.ts'
import { countText } from '../../components/count-text.ts'
import { SchoolName } from './names.tsx'
import { schoolHref } from './server-text.ts'

/** Links to schools, with their number of servers if known. On a phone one line that scrolls sideways. */
export function SchoolChips({ schools }: { schools: readonly (School & { servers?: number })[] }) {
  if (schools.length === 0) return null
  return (
    <ul className="chips chips-line" aria-label="Schools">
      {schools.map((school) => (
        <li key={school.id}>
          <a className="chip" href={schoolHref(school)}>
            <span className={`swatch ${hueOf(school.name)}`} aria-hidden="true" />
            <SchoolName name={school.name} />
            {school.servers !== undefined && <span className="muted numbers">{countText(school.servers)}</span>}
          </a>
        </li>
      ))}
    </ul>
  )
}
