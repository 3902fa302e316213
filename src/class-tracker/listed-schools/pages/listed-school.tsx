import { Button } from '../../../../client/components/button.tsx'
import { MessageBox } from '../../../../client/components/message-box.tsx'
import { PageHead } from '../../../../client/components/page-head.tsx'
import { PostForm } from '../../../../client/components/post-form.tsx'
import { StatusBadge } from '../../../../client/components/status-dot.tsx'
import { DataTable } from '../../../../client/components/data-table.tsx'
import { Facts } from '../../../../client/components/facts.tsx'
import { dateText } from '../../../../client/components/time-text.ts'
import { seatsText } from '../../../../client/islands/class-tracker/section-text.ts'
import type { PageContext } from '../../../web/contract.ts'
import { counted } from '../../../lib/text.ts'
import type { ListedSchoolCheck, ListedSchoolFacts, ListedSchoolProps } from '../contract.ts'

/** What the directory knows about one school, what the school just answered, and a form to add it. Needs no script. */
export function ListedSchoolPage({ school, check, context }: ListedSchoolProps & { context: PageContext }) {
  const canAdd = school.source === null && school.why_not_read === null
  return (
    <div className="stack stack-large staff">
      <PageHead
        above={
          <p>
            <a href="/class_tracker/schools/">Add a school</a>
          </p>
        }
        title={school.name}
        about={`${school.state} · ${school.system}`}
      >
        {canAdd && (
          <div className="row">
            <PostForm context={context} action={`/class_tracker/schools/${school.id}/check/`}>
              <Button type="submit" icon="refresh">
                Check now
              </Button>
            </PostForm>
            <PostForm context={context} action={`/class_tracker/schools/${school.id}/add/`}>
              <Button type="submit" kind="primary" icon="plus">
                Add
              </Button>
            </PostForm>
          </div>
        )}
      </PageHead>
      <WhyNot school={school} />
      {check && <CheckResult check={check} numberLabel={school.number_label} />}
      <AboutSchool school={school} />
    </div>
  )
}

function WhyNot({ school: { source, why_not_read: why } }: { school: ListedSchoolFacts }) {
  if (source) {
    return (
      <MessageBox tone="success">
        Already added. <a href={`/admin/sources/${source.id}/`}>{source.name}</a> reads it.
      </MessageBox>
    )
  }
  return why === null ? null : <MessageBox tone="warning">It can’t be added. {why}</MessageBox>
}

function AboutSchool({ school }: { school: ListedSchoolFacts }) {
  const { url, time_zone, school_code, shared_name, last_term, notes, as_of, search_url } = school
  const known = [
    ['System', school.system],
    ['Address', url],
    ['School code', school_code],
    ['Time zone', time_zone],
    ['Last verified', dateText(as_of, 'UTC')],
    ['Sample term', last_term ?? ''],
    ['Notes', notes.map((note) => `${note}.`).join(' ')],
  ] as const
  return (
    <section className="card card-body stack" aria-labelledby="known">
      <h2 id="known">About this school</h2>
      <Facts className="facts-single" facts={known.filter(([, value]) => value !== '')} />
      {shared_name !== null && <p>{shared_name} serves several schools. Adding one of them adds all of them.</p>}
      <p>
        <a href={search_url} rel="noreferrer">
          Class search at {new URL(search_url).host}
        </a>
        . Read the school’s terms of use there. You’re responsible for following them.
      </p>
    </section>
  )
}

function CheckResult({ check, numberLabel }: { check: ListedSchoolCheck; numberLabel: string }) {
  const { why, warnings, requests, sections } = check
  return (
    <section className="card" aria-labelledby="checked">
      <div className="card-body stack">
        <h2 id="checked">{headingOf(check)}</h2>
        <p role="status">
          {understood(check)} {counted(requests, 'request')} sent.
        </p>
        {why !== null && <p className="source-error">{why}</p>}
        {warnings.map((warning) => (
          <p key={warning} className="muted small">
            {warning}
          </p>
        ))}
      </div>
      <Sections sections={sections} numberLabel={numberLabel} />
    </section>
  )
}

function headingOf({ why, requests, terms_count }: ListedSchoolCheck): string {
  if (why === null) return 'Check passed'
  if (requests === 0) return 'Not checked'
  return terms_count > 0 ? 'Read in part' : 'We could not read this school'
}

/** What was read, as a sentence; '' if nothing was. */
function understood({
  why,
  terms_count,
  term_name,
  subjects_count,
  subject_name,
  sections_count,
}: ListedSchoolCheck): string {
  if (terms_count === 0) return ''
  // What a check did not get to is not 0.
  const isRead = (scope: string | null, count: number) => scope !== null && (count > 0 || why === null)
  const parts = [
    counted(terms_count, 'term'),
    ...(isRead(term_name, subjects_count) ? [`${counted(subjects_count, 'subject')} in ${term_name}`] : []),
    ...(isRead(subject_name, sections_count) ? [`${counted(sections_count, 'section')} of ${subject_name}`] : []),
  ]
  return `${parts.join(', ')}.`
}

function Sections({ sections, numberLabel }: Pick<ListedSchoolCheck, 'sections'> & { numberLabel: string }) {
  return (
    <DataTable
      columns={[
        {
          label: 'Course',
          cell: ({ course, title }) => (
            <span>
              {course} <span className="muted">{title}</span>
            </span>
          ),
        },
        { label: 'Section', cell: ({ section }) => section },
        { label: numberLabel, cell: ({ number }) => number },
        { label: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
        { label: 'Seats', cell: seatsText },
      ]}
      rows={sections}
      keyOf={({ number }) => number}
    />
  )
}
