import type { DiscordServer } from '../../../src/classcords/contract.ts'
import type { NameParts } from '../../components/school-name.ts'

/** Words that alone do not describe a server. */
const generic = new Set(['discord', 'server', 'group', 'chat', 'hub', 'community', 'students', 'official', 'the'])
/** One common word may be a coincidence: Boston Tea Party. */
const MIN_WORDS = 2
/** The shortest abbreviation of a word, such as Tech for Technical. */
const MIN_LETTERS = 3
const MAX_ABOUT_LENGTH = 100

const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')

/** How many words at the start of a name are the school's, each of which may be abbreviated. */
function countOfSchool(words: readonly string[], school: string): number {
  const wanted = school.split(/\s+/).map(plain)
  const differs = words.findIndex((word, at) => {
    const own = wanted[at]
    const given = plain(word)
    return (
      own === undefined || given === '' || (given !== own && !(given.length >= MIN_LETTERS && own.startsWith(given)))
    )
  })
  return differs < 0 ? words.length : differs
}

/** "Queens College Calculus I" is always beside "Queens College", so it is "Calculus I", if that leaves enough. */
export function serverNameParts({
  display_name: name,
  schools,
}: Pick<DiscordServer, 'display_name' | 'schools'>): NameParts {
  const words = name.match(/\S+\s*/gu) ?? []
  const count = Math.max(0, ...schools.map((school) => countOfSchool(words, school.name)))
  const rest = words.slice(count)
  if (count < MIN_WORDS || rest.every((word) => generic.has(plain(word)) || plain(word) === ''))
    return { hidden: '', shown: name }
  const shown = rest.join('').replace(/^[^\p{L}\p{N}]+/u, '')
  return { hidden: name.slice(0, name.length - shown.length), shown }
}

/** The first 100 characters (whole code points), with an ellipsis if there is more. */
function cut(text: string): string {
  const characters = [...text.trim()]
  if (characters.length <= MAX_ABOUT_LENGTH) return characters.join('')
  return `${characters.slice(0, MAX_ABOUT_LENGTH).join('').trimEnd()}…`
}

type Described = Pick<DiscordServer, 'display_name' | 'description' | 'courses' | 'subjects' | 'instructors'>

/** A description, else the courses (unless the name says them), the instructors, or the subjects. */
export function cardAbout({ display_name, description, courses, subjects, instructors }: Described): string {
  const isNew = (text: string) => text !== '' && !plain(display_name).includes(plain(text))
  const titles = [...new Set(courses.map(({ title }) => title).filter(isNew))].join(', ')
  const teachers = instructors.map(({ name }) => name).join(', ')
  return (
    cut(description.trim() || titles || (teachers && `With ${teachers}`)) ||
    subjects
      .map(({ name }) => name)
      .filter((name) => isNew(name) && courses.every(({ subject }) => subject !== name))
      .join(', ')
  )
}
