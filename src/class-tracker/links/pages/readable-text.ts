const weekdays: Readonly<Record<string, string>> = {
  Mo: 'Mon',
  Tu: 'Tue',
  We: 'Wed',
  Th: 'Thu',
  Fr: 'Fri',
  Sa: 'Sat',
  Su: 'Sun',
}
/** "MoWe 9:05AM - 10:20AM", as several systems print a meeting. */
const meeting = /\b((?:Mo|Tu|We|Th|Fr|Sa|Su)+) (\d{1,2}:\d\d) ?([AP]M) - (\d{1,2}:\d\d) ?([AP]M)\b/g
const suffix = /^(?:Jr|Sr|I{1,3}|IV|Ph\.?D|M\.?D|Ed\.?D)\.?$/i

/** A school's times as people write them: "Mon Wed 9:05–10:20 AM". Other forms stay as they are. */
export function readableTimes(text: string): string {
  return text.replace(meeting, (_whole, days: string, from: string, fromHalf: string, to: string, toHalf: string) => {
    const names = (days.match(/../g) ?? []).map((day) => weekdays[day]).join(' ')
    return `${names} ${from}${fromHalf === toHalf ? '' : ` ${fromHalf}`}–${to} ${toHalf}`
  })
}

/** "Keiko Vesely" for "Vesely, Keiko". Names of more or fewer parts stay as they are. */
export function readableName(name: string): string {
  const [, last, first] = /^([^,;]+), ([^,;]+)$/.exec(name) ?? []
  return last === undefined || first === undefined || suffix.test(first) ? name : `${first} ${last}`
}

/** The codes that class schedules print for kinds of classes. */
const kinds: Readonly<Record<string, string>> = {
  LEC: 'Lecture',
  LAB: 'Lab',
  SEM: 'Seminar',
  DIS: 'Discussion',
  REC: 'Recitation',
  IND: 'Independent study',
  INT: 'Internship',
  CLN: 'Clinical',
}

/** "Lecture" for "LEC". Anything else stays as it is. */
export function readableKind(kind: string): string {
  return kinds[kind] ?? kind
}
