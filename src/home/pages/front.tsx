import { LinkedCards } from '../../../client/islands/classcords/linked-cards.tsx'
import { SchoolChips } from '../../../client/islands/classcords/school-chips.tsx'
import { SearchBox } from '../../../client/components/search-box.tsx'
import type { Front } from '../../classcords/servers/newest-servers.ts'
import { counted } from '../../../client/components/count-text.ts'
import { rounded } from '../../../client/components/rounded.ts'

/** What the site is, in one sentence, and a search for your class. */
function Hero({ front }: { front: Front }) {
  const { server_count: servers, school_count: schools } = front
  const count = schools > 1 ? `${counted(servers, 'server')} at ${counted(schools, 'school')}. ` : ''
  return (
    <section className="hero">
      <Hall />
      <h1 className="display">Find the Discord for your class.</h1>
      <p className="muted">{`${servers > 1 ? count : ''}Search your course, tap Join, say hi.`}</p>
      <SearchBox referral={null} hasButton />
      <SchoolChips schools={front.schools} />
    </section>
  )
}

/** The front page for visitors. */
export function FrontPage({ front, timeZone }: { front: Front; timeZone: string }) {
  return (
    <>
      <Hero front={front} />
      {front.servers.length > 0 && (
        <section className="stack" aria-labelledby="new">
          <div className="row">
            <h2 id="new">Recently added</h2>
            <a className="push small" href="/classcords/all/">
              {front.server_count > 1 ? `All ${counted(front.server_count, 'server')}` : 'All servers'}
            </a>
          </div>
          <LinkedCards servers={front.servers} timeZone={timeZone} isCompact />
        </section>
      )}
    </>
  )
}

const center = { x: 320, y: 331 }
/** The distance of each row of seats from the stage, px. */
const radii = [111, 139, 167, 195, 223, 251, 279, 307]
/** The three blocks of a row (degrees), and half the aisle between two of them (px). */
const blocks = [
  [5, 60],
  [60, 120],
  [120, 175],
] as const
const AISLE = 15
const SEAT = 7
const GAP = 20
const hues = [1, 2, 3, 4, 5, 6, 7, 8]
/** The free seat. */
const free = { radius: 279, block: 1, seat: 4 }

function blockOf(radius: number, [from, to]: readonly [number, number]) {
  const aisle = (AISLE / radius) * (180 / Math.PI)
  const [first, last] = [from + aisle, to - aisle]
  const at = (degrees: number) => {
    const angle = (degrees * Math.PI) / 180
    return { x: rounded(center.x + radius * Math.cos(angle)), y: rounded(center.y - radius * Math.sin(angle)) }
  }
  const drawn = (radius * (last - first) * Math.PI) / 180
  // In units into which whole seats and gaps fit.
  const length = Math.max(1, Math.round((drawn - SEAT) / (SEAT + GAP))) * (SEAT + GAP) + SEAT
  const [start, end] = [at(first), at(last)]
  return {
    key: `${radius} ${from}`,
    path: `M${start.x} ${start.y}A${radius} ${radius} 0 0 0 ${end.x} ${end.y}`,
    length,
    placeOf: (seat: number) => at(first + ((last - first) * (seat * (SEAT + GAP) + SEAT / 2)) / length),
  }
}

/** A lecture hall from above, with one seat free. Decoration. */
function Hall() {
  const place = blockOf(free.radius, blocks[free.block] ?? blocks[0]).placeOf(free.seat)
  return (
    <svg className="hall" viewBox="0 0 640 331" preserveAspectRatio="xMidYMin slice" aria-hidden="true">
      <linearGradient id="hall-hues" gradientUnits="userSpaceOnUse" x1="0" x2="640" y1="0" y2="0">
        {hues.map((hue, index) => (
          <stop key={hue} className={`hue-${hue}`} offset={rounded((index / (hues.length - 1)) * 100) / 100} />
        ))}
      </linearGradient>
      <g className="hall-seats">
        <g
          fill="none"
          stroke="url(#hall-hues)"
          strokeWidth="12"
          strokeLinecap="round"
          strokeDasharray={`${SEAT} ${GAP}`}
        >
          {radii.flatMap((radius) =>
            blocks
              .map((block) => blockOf(radius, block))
              .map(({ key, path, length }) => <path key={key} d={path} pathLength={length} />),
          )}
        </g>
        <circle className="hall-gap" cx={place.x} cy={place.y} r="15" />
        <circle className="brand-seat" cx={place.x} cy={place.y} r="9" />
      </g>
    </svg>
  )
}
