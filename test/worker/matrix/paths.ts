/** Addresses generated from a route's pattern. */

const parameter = /:([a-z_]+)(?:\{([^}]*)\})?\??/gi

export const parametersOf = (pattern: string): string[] =>
  [...pattern.matchAll(parameter)].map(([, name]) => name ?? '')

/** Whether the pattern's parameter is a number that identifies a row. */
export const isId = (name: string): boolean => /(?:^|_)id$/.test(name)

/** The address with a value for each parameter, written as it is. `form` is the format that the pattern requires. */
export const pathWith = (pattern: string, value: (name: string, form?: string) => string): string =>
  pattern.replaceAll(parameter, (_, name: string, form?: string) => value(name, form)).replace(/\/\*$/, '')

/** The format of a pattern's addresses. */
export const patternOf = (pattern: string): RegExp => new RegExp(`^${pathWith(pattern, (_, form = '[^/]+') => form)}$`)

/** Identifies nothing, so that requests change nothing. */
export const ofNothing = (pattern: string): string =>
  pathWith(pattern, (name) => (isId(name) ? '999999999' : 'nothing-here'))

/** What people and machines send instead of a number or a key. */
export const hostileSegments: readonly string[] = [
  '0',
  '-1',
  '1e9',
  '1.0',
  '%201',
  '9007199254740993',
  'abc',
  '%00',
  'a%00b',
  '%ff',
  '%E0%A4%A',
  '%f0%9f%a6%84',
  '%E2%80%AE1',
  '%2e%2e',
  '..%2f..%2fadmin',
  '../../../etc/passwd',
  '%27%20OR%201=1--',
  '%3Cscript%3Ealert(1)%3C%2Fscript%3E',
  '%7B%7B7*7%7D%7D',
  '__proto__',
  'constructor',
  'x'.repeat(8000),
]

export const hostileQueries: readonly string[] = [
  'page=abc',
  'page=0',
  'page=-1',
  'page=1e9',
  'page=999999999999999',
  'page=1&page=2',
  'page[]=1&page[a]=2',
  `page=${'9'.repeat(4000)}`,
  'subject_id=abc&course_id=-1&recipient_id=0&user_id=x&school_id=1e3',
  'subject_id=1&subject_id=2&course_id=3&course_id=4&recipient_id=999999999',
  `q=${'a'.repeat(8000)}`,
  'q=%00&search=%00&state=%00',
  'q=%22%20OR%20*%20NEAR(&search=%22%27%3B--',
  'q=%25_%5C&q=2&q[]=3',
  'q=%ff%fe&next=%ff',
  'q=%3Cscript%3Ealert(1)%3C%2Fscript%3E&referral=%3Cscript%3Ealert(1)%3C%2Fscript%3E',
  'sort=__proto__&direction=constructor&filter=toString&state=hasOwnProperty&queue=__proto__',
  'next=%2F%2Fevil.example%2F&referral=x',
  'next=https%3A%2F%2Fevil.example%2F',
  'next=javascript%3Aalert(1)',
  'next=%2F%5Cevil.example',
  'next=%2F%09%2Fevil.example',
  '&&=&%3D&a=b=c&%',
]
