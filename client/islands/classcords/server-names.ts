import type { DiscordServer } from '../../../src/classcords/contract.ts'
import { cardDescription, courseNames } from './server-text.ts'

/** A name in two parts of which a list shows one; together they are the name. */
export interface NameParts {
  /** What the list says beside it anyway; '' when it is nothing. */
  said: string
  shown: string
}

/** Alone these say nothing of a server. */
const generic = new Set(['discord', 'server', 'group', 'chat', 'hub', 'community', 'students', 'official', 'the'])
/** One word in common is chance: Boston Tea Party. */
const MIN_WORDS = 2
/** Of a word, as Tech of Technical. */
const MIN_LETTERS = 3

const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')

/** How many words at the start of a name are those of the school, of which each may be cut short. */
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

/**
 * A server's name, which often begins with its school: "Queens College Calculus I" stands over "Queens College" in every list, so
 * there it is "Calculus I". A name of which too little would remain is shown whole.
 */
export function serverNameParts({
  display_name: name,
  schools,
}: Pick<DiscordServer, 'display_name' | 'schools'>): NameParts {
  const words = name.match(/\S+\s*/gu) ?? []
  const count = Math.max(0, ...schools.map((school) => countOfSchool(words, school.name)))
  const rest = words.slice(count)
  if (count < MIN_WORDS || rest.every((word) => generic.has(plain(word)) || plain(word) === ''))
    return { said: '', shown: name }
  const shown = rest.join('').replace(/^[^\p{L}\p{N}]+/u, '')
  return { said: name.slice(0, name.length - shown.length), shown }
}

/** A school's name, of which "University" after two words and more says nothing: "Harbor State University" is Harbor State. */
export function schoolNameParts(name: string): NameParts {
  const [, shown, said] = /^(?!.*\b(?:of|and)\b)(\S+ \S.*)( University)$/.exec(name) ?? []
  return shown === undefined || said === undefined ? { said: '', shown: name } : { said, shown }
}

type Described = Pick<DiscordServer, 'display_name' | 'description' | 'courses' | 'subjects' | 'instructors'>

/** What a card says of a server: its description, else what its name does not say of its courses, who teaches them, their subjects. */
export function cardAbout({ display_name, description, courses, subjects, instructors }: Described): string {
  const isNew = (text: string) => text !== '' && !plain(display_name).includes(plain(text))
  const titles = courseNames(courses.filter(({ title }) => isNew(title)))
  const teachers = instructors.map(({ name }) => name).join(', ')
  return (
    cardDescription(description) ||
    titles ||
    cardDescription(teachers && `With ${teachers}`) ||
    [...new Set([...courses.map(({ subject }) => subject), ...subjects.map(({ name }) => name)])]
      .filter(isNew)
      .join(', ')
  )
}
