import { Badge } from '../../../../client/components/badge.tsx'
import { Button, LinkButton } from '../../../../client/components/button.tsx'
import { describedBy, FieldNotes } from '../../../../client/components/field.tsx'
import { Icon } from '../../../../client/components/icon.tsx'
import { PageHead } from '../../../../client/components/page-head.tsx'
import { PostForm } from '../../../../client/components/post-form.tsx'
import { DataTable } from '../../../../client/components/data-table.tsx'
import type { PageContext } from '../../../web/contract.ts'
import { counted } from '../../../lib/text.ts'
import type { AddSchoolProps, AskedAddress, ListedSchoolSummary } from '../contract.ts'

/** Search the directory of schools by name. Needs no script. */
export function AddSchoolPage({
  q,
  schools,
  found_count,
  listed_count,
  readable_count,
  asked,
  context,
}: AddSchoolProps & { context: PageContext }) {
  const refusal = asked?.why ?? ''
  return (
    <div className="stack stack-large staff">
      <PageHead
        title="Add a school"
        about={`${readable_count} of ${listed_count} listed schools can be added today.`}
      />
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
              autoFocus={q === '' && asked === null}
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
              {foundText(q, found_count, schools.length)}
            </h2>
            {found_count > schools.length && <p className="muted small">Type more of the name to narrow the list.</p>}
          </div>
          <DataTable
            className="table-lines table-found"
            columns={[
              { label: 'School', cell: ({ id, name }) => <a href={`/class_tracker/schools/${id}/`}>{name}</a> },
              { label: 'State', cell: ({ state }) => state },
              { label: 'System', cell: ({ system }) => system },
              { label: 'Status', cell: (school) => <Status school={school} /> },
            ]}
            rows={schools}
            keyOf={({ id }) => id}
            empty={
              <p className="muted small card-body">
                Try fewer words, the full name instead of a nickname, or the state’s two letters.
              </p>
            }
          />
        </section>
      )}
      <section className="card card-body stack" aria-labelledby="by-address">
        <h2 id="by-address">Not listed?</h2>
        <PostForm context={context} action="/class_tracker/schools/ask/" className="row">
          <input
            id="address"
            className="input grow"
            name="address"
            aria-label="Address of its class search"
            aria-invalid={refusal !== '' || undefined}
            aria-describedby={describedBy('address', '', refusal)}
            placeholder="Link to its class search"
            autoComplete="off"
            spellCheck={false}
            required
            autoFocus={refusal !== ''}
            defaultValue={asked?.typed ?? ''}
          />
          <Button type="submit">Detect system</Button>
        </PostForm>
        <FieldNotes id="address" help="" error={refusal} />
        {asked && <Detected asked={asked} />}
        <p className="muted small">
          Or <a href="/admin/sources/add/">add a source in the admin</a>. You are responsible for following each
          school’s terms of use.
        </p>
      </section>
    </div>
  )
}

function foundText(q: string, found: number, shown: number): string {
  if (found === 0) return `No school matches “${q}”`
  return found > shown ? `${shown} of ${found} schools` : counted(found, 'school')
}

function Detected({ asked: { kind, system, url, terms_count, source } }: { asked: AskedAddress }) {
  if (kind === null || url === null) return null
  const name = new URL(url).hostname
  return (
    <div className="stack stack-small" role="status">
      <p>
        {system} answers there and lists {counted(terms_count, 'term')}.
      </p>
      <p className="muted break">{url}</p>
      {source && (
        <p>
          Already added. <a href={`/admin/sources/${source.id}/`}>{source.name}</a> reads it.
        </p>
      )}
      <p>
        <LinkButton
          kind={source ? 'plain' : 'primary'}
          href={`/admin/sources/add/?${new URLSearchParams({ kind, url, name })}`}
        >
          {source ? 'Add it with other settings' : 'Add it'}
        </LinkButton>
      </p>
    </div>
  )
}

function Status({ school: { source, why_not_read: why } }: { school: ListedSchoolSummary }) {
  if (source) return <Badge tone="info">Added</Badge>
  return why === null ? <Badge tone="done">Can be added</Badge> : <Badge>Not supported yet</Badge>
}
