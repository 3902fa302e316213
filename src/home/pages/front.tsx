import { LinkedCards } from '../../../client/islands/classcords/linked-cards.tsx'
import { SchoolChips } from '../../../client/islands/classcords/school-chips.tsx'
import { SearchBox } from '../../../client/components/search-box.tsx'
import type { Front } from '../../classcords/servers/front-servers.ts'
import { counted } from '../../../client/components/count-text.ts'
import { Hall } from './hall.tsx'

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
