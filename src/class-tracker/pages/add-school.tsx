import { Badge } from '../../../client/components/badge.tsx'
import { Button } from '../../../client/components/button.tsx'
import { EmptyState } from '../../../client/components/empty-state.tsx'
import { Icon } from '../../../client/components/icon.tsx'
import { counted } from '../../lib/counted.ts'
import type { AddSchoolProps, ListedSchoolSummary } from '../contract.ts'

/** Search the directory of schools by name. Needs no script. */
export function AddSchoolPage({ q, schools, found_count, listed_count, readable_count }: AddSchoolProps) {
  return (
    <div className="stack stack-large">
      <div className="page-head">
        <div>
          <h1>Add a school</h1>
          <p>
            {listed_count} schools are listed, and {readable_count} of them can be read today.
          </p>
        </div>
      </div>
      <search>
        <form action="/class_tracker/schools/" className="row">
          <div className="search grow">
            <Icon name="search" size={16} />
            <input
              className="input"
              type="search"
              name="q"
              aria-label="School's name"
              placeholder="Name, initials or state"
              autoComplete="off"
              spellCheck={false}
              autoFocus={q === ''}
              defaultValue={q}
            />
          </div>
          <Button type="submit" kind="primary">
            Search
          </Button>
        </form>
      </search>
      {q !== '' && (
        <section className="card" aria-labelledby="found">
          <div className="card-head">
            <h2 id="found" role="status">
              {found_count > schools.length
                ? `${schools.length} of ${found_count} schools`
                : counted(found_count, 'school')}
            </h2>
            {found_count > schools.length && <p className="muted small">Type more of the name to narrow.</p>}
          </div>
          {schools.length === 0 ? <NothingFound q={q} /> : <FoundSchools schools={schools} />}
        </section>
      )}
      <p className="muted small">
        Not listed? <a href="/admin/sources/add/">Add a source by its address</a>. You are responsible for following
        each school's terms of use.
      </p>
    </div>
  )
}

function NothingFound({ q }: { q: string }) {
  return (
    <EmptyState title={`No school matches “${q}”`} small>
      <p className="muted small">Try fewer words, the full name instead of a nickname, or the state's two letters.</p>
    </EmptyState>
  )
}

function FoundSchools({ schools }: { schools: readonly ListedSchoolSummary[] }) {
  return (
    <table className="table">
      <thead>
        <tr>
          <th scope="col">School</th>
          <th scope="col">State</th>
          <th scope="col">System</th>
          <th scope="col">Can be added</th>
        </tr>
      </thead>
      <tbody>
        {schools.map((school) => (
          <tr key={school.id}>
            <td data-label="School">
              <a href={`/class_tracker/schools/${school.id}/`}>{school.name}</a>
            </td>
            <td data-label="State">{school.state}</td>
            <td data-label="System">{school.system}</td>
            <td data-label="Can be added">
              <Addable school={school} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Addable({ school: { source, why_not_read: why } }: { school: ListedSchoolSummary }) {
  if (source) return <Badge tone="info">Added</Badge>
  return why === null ? 'Yes' : <Badge>Not yet</Badge>
}
