/** A name in two parts, only one of which is shown; together they are the full name. */
export interface NameParts {
  /** The part that is only read out; '' if there is none. */
  hidden: string
  shown: string
}

/** A school's name without "University" if the rest is clear without it: "Harbor State University" is Harbor State. */
export function schoolNameParts(name: string): NameParts {
  const [, shown, hidden] =
    /^(?!.*\b(?:of|and)\b)(\S.* (?:State|Tech|Technical|Polytechnic|A&M))( University)$/.exec(name) ?? []
  return shown === undefined || hidden === undefined ? { hidden: '', shown: name } : { hidden, shown }
}
