import type { ReactNode } from 'react'
import type { School } from '../../../src/classcords/contract.ts'
import { Button } from '../../components/button.tsx'
import { Combobox, nameOf } from '../../components/combobox.tsx'
import { Icon } from '../../components/icon.tsx'
import { schoolNameParts } from '../../components/school-name.ts'
import { SearchField } from '../../components/search-field.tsx'
import { useHydrated } from '../../components/use-hydrated.ts'
import { TryAgain, useLevel } from '../../use-level.tsx'
import { counted } from '../../components/count-text.ts'
import { calls } from '#in-browser/islands/classcords/calls.ts'
import { exploreSearch, type ExploreQuery } from './explore-query.ts'
import { courseText, courseTitle } from './server-text.ts'

interface SearchCardProps {
  query: ExploreQuery
  /** Kept by a search without scripts, too. */
  referral: string | null
  /** The user's own school. */
  own: School | null
  isSearching: boolean
  found: number
  onSearch: (change: Partial<ExploreQuery>) => void
}

const shortName = ({ name }: School): string => schoolNameParts(name).shown
const allSchools: School = { id: 0, name: 'All schools' }
const sorts = { relevance: 'Featured first', newest: 'Newest', members: 'Most members' } as const

/** The user's own school is first, whether it has public servers or not. */
function ownFirst(own: School | null, others: readonly School[]): School[] {
  return own ? [own, ...others.filter(({ id }) => id !== own.id)] : [...others]
}

/** The options of the filters, loaded once scripts run. */
function useFilterLists({ schoolId = null, subjectId }: ExploreQuery, own: School | null) {
  const isHydrated = useHydrated()
  return {
    schools: useLevel(isHydrated ? 'all' : null, async (signal) => [
      ...ownFirst(own, (await calls.getSchools(signal)).schools),
      allSchools,
    ]),
    subjects: useLevel(
      isHydrated ? `${schoolId}` : null,
      async (signal) => (await calls.getSubjects(schoolId, signal)).subjects,
    ),
    courses: useLevel(isHydrated && subjectId !== null ? `${schoolId} ${subjectId}` : null, async (signal) =>
      subjectId === null ? [] : (await calls.getCourses(schoolId, subjectId, signal)).courses,
    ),
  }
}

type FilterLists = ReturnType<typeof useFilterLists>

interface FiltersProps extends Pick<SearchCardProps, 'query' | 'own' | 'onSearch'> {
  lists: FilterLists
}

const chosenOf = <Item extends { id: number }>(items: readonly Item[] | null, id: number | null): Item | null =>
  items?.find((item) => item.id === id) ?? null

/** The school that a search is limited to, selected or the user's own; null: all schools. */
const schoolIn = ({ schoolId }: ExploreQuery, own: School | null, schools: readonly School[] | null): School | null => {
  const id = schoolId ?? own?.id ?? null
  return own && id === own.id ? own : chosenOf(schools, id || null)
}

/** Keywords, a subject and one of its courses, on a phone in a sheet. Without scripts a form with only keywords. */
export function SearchCard({ query, referral, own, isSearching, found, onSearch }: SearchCardProps) {
  const { schoolId = null, sort = 'relevance', subjectId, courseId, q } = query
  const filters = { query, own, onSearch, lists: useFilterLists(query, own) }
  const chosen = [schoolId, subjectId, courseId].filter(Boolean).length

  return (
    <form
      role="search"
      className="find"
      action="/classcords/all/"
      onSubmit={(event) => {
        event.preventDefault()
        onSearch({})
      }}
    >
      <div className="finder dock">
        <div className="field grow">
          <label className="hidden-visually" htmlFor="search-words">
            Keywords
          </label>
          <SearchField
            id="search-words"
            name="q"
            placeholder="Course, code or server"
            value={q}
            onValue={(words) => onSearch({ q: words })}
          />
        </div>
        <button type="submit" className="button only-plain">
          Search
        </button>
      </div>
      {[...new URLSearchParams(exploreSearch({ ...query, q: '', page: 1 }, referral))].map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <FilterSheet {...filters} chosen={chosen}>
        {isSearching ? 'Searching…' : `Show ${counted(found, 'server')}`}
      </FilterSheet>
      <ul className="chips chips-line filter-chips only-script" aria-label="Filters and sorting">
        <ChosenFilters {...filters} />
        <li>
          <Sort sort={sort} own={own} onSearch={onSearch} />
        </li>
      </ul>
    </form>
  )
}

interface FilterSheetProps extends FiltersProps {
  chosen: number
  /** The text of its last button. */
  children: ReactNode
}

/** The filters: beside the list, and on a phone in a sheet over it. */
function FilterSheet({ chosen, children, ...filters }: FilterSheetProps) {
  return (
    <div
      id="filters"
      className="filters only-script"
      popover="auto"
      role="group"
      aria-label="Filters"
      onBlur={({ currentTarget: sheet, relatedTarget: next }) => {
        // If the keyboard leaves the sheet, the focus would be beneath it; a press on the button that opens the sheet
        // closes it anyway.
        if (!(next instanceof Element) || sheet.contains(next) || next.closest('[popovertarget]')) return
        if (sheet.matches(':popover-open')) sheet.hidePopover()
      }}
    >
      <div className="row filters-head">
        <p className="filters-title">Filters</p>
        {chosen > 0 && (
          <Button kind="quiet" onClick={() => filters.onSearch({ schoolId: null, subjectId: null, courseId: null })}>
            Clear all
          </Button>
        )}
      </div>
      <FilterFields {...filters} />
      <button
        type="button"
        className="button button-primary button-large filters-done"
        popoverTarget="filters"
        popoverTargetAction="hide"
      >
        {children}
      </button>
    </div>
  )
}

/** What the search is limited to, each with a button that removes the limit. */
function ChosenFilters({ query, own, lists, onSearch }: FiltersProps) {
  const { subjectId, courseId } = query
  const school = schoolIn(query, own, lists.schools.items)
  const subject = chosenOf(lists.subjects.items, subjectId)
  const course = chosenOf(lists.courses.items, courseId)
  return (
    <>
      <PhoneFilter
        name="School"
        chosen={school && shortName(school)}
        onDrop={() => onSearch({ schoolId: own ? 0 : null })}
      />
      <PhoneFilter name="Subject" chosen={subject?.name} onDrop={() => onSearch({ subjectId: null })} />
      {subjectId !== null && (
        <PhoneFilter name="Course" chosen={course && courseText(course)} onDrop={() => onSearch({ courseId: null })} />
      )}
    </>
  )
}

interface PhoneFilterProps {
  name: string
  /** The selected value; if there is one, the chip removes it. */
  chosen: string | null | undefined
  onDrop: () => void
}

/** A filter on a phone, where the filters themselves are in a sheet: opens the sheet, or removes the selected value. */
function PhoneFilter({ name, chosen, onDrop }: PhoneFilterProps) {
  // Two separate buttons: one that turned into the other during a press would also open the sheet.
  return (
    <li>
      {chosen ? (
        <button
          key="drop"
          type="button"
          className="chip chip-on"
          onClick={({ currentTarget: { parentElement: place } }) => {
            onDrop()
            // Keyboard users keep their place.
            requestAnimationFrame(() => place?.querySelector('button')?.focus())
          }}
        >
          <span className="hidden-visually">Remove filter </span>
          <bdi>{chosen}</bdi>
          <Icon name="close" size={16} />
        </button>
      ) : (
        <button key="open" type="button" className="chip" popoverTarget="filters">
          <bdi>{name}</bdi>
          <Icon name="down" size={16} />
        </button>
      )}
    </li>
  )
}

function Sort({ sort, own, onSearch }: Pick<SearchCardProps, 'own' | 'onSearch'> & { sort: keyof typeof sorts }) {
  return (
    <label className="chip sort">
      <span className="hidden-visually">Sort by</span>
      <select value={sort} onChange={(event) => onSearch({ sort: event.target.value as typeof sort })}>
        {Object.entries(sorts).map(([value, label]) => (
          <option key={value} value={value}>
            {value === 'relevance' && own ? 'Your school first' : label}
          </option>
        ))}
      </select>
      <Icon name="down" size={16} />
    </label>
  )
}

function FilterFields({ query, own, lists: { schools, subjects, courses }, onSearch }: FiltersProps) {
  const { subjectId, courseId } = query
  return (
    <>
      <Combobox
        id="search-school"
        label="School"
        options={schools.items ?? []}
        value={schoolIn(query, own, schools.items)}
        textOf={shortName}
        searchOf={nameOf}
        rowOf={nameOf}
        loading={schools.items === null}
        placeholder={allSchools.name}
        clear="Clear school"
        emptyText={schools.errors[0] ?? 'No schools yet.'}
        onChoose={(choice) => onSearch({ schoolId: choice?.id === own?.id ? null : (choice?.id ?? 0) })}
      />
      <Combobox
        id="search-subject"
        label="Subject"
        options={subjects.items ?? []}
        value={chosenOf(subjects.items, subjectId)}
        textOf={nameOf}
        loading={subjects.items === null}
        placeholder="All subjects"
        clear="Clear subject"
        emptyText={subjects.errors[0] ?? 'No subjects yet.'}
        onChoose={(choice) => onSearch({ subjectId: choice?.id ?? null })}
      />
      {subjectId !== null && (
        <Combobox
          id="search-course"
          label="Course"
          options={courses.items ?? []}
          value={chosenOf(courses.items, courseId)}
          textOf={courseTitle}
          loading={courses.items === null}
          placeholder="All courses"
          clear="Clear course"
          emptyText={courses.errors[0] ?? 'This subject has no courses yet.'}
          onChoose={(choice) => onSearch({ courseId: choice?.id ?? null })}
        />
      )}
      <TryAgain levels={[schools, subjects, courses]} label="Load the lists again" />
    </>
  )
}
