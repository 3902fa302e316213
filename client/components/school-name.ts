/** A name in two parts, one of which is shown; together they are the full name. */
export interface NameParts {
  /** The part that is not shown; '' if there is none. */
  said: string
  shown: string
}

/** A school's name without "University" where another word says as much: "Harbor State University" is Harbor State. */
export function schoolNameParts(name: string): NameParts {
  const [, shown, said] =
    /^(?!.*\b(?:of|and)\b)(\S.* (?:State|Tech|Technical|Polytechnic|A&M))( University)$/.exec(name) ?? []
  return shown === undefined || said === undefined ? { said: '', shown: name } : { said, shown }
}
