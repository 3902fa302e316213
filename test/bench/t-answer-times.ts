import { addPeople, openForm, type OpenForm } from './app/people.ts'
import { startApp } from './app/start-app.ts'
import { medianInterval, type Figure, type Part } from './report.ts'

const rounds = 200
/** Two groups of known people, so that the difference between them shows the noise. */
const kinds = ['known', 'known again', 'unconfirmed', 'unknown'] as const
type Kind = (typeof kinds)[number]

/** A form whose response time could reveal who has an account. */
interface Form {
  name: string
  path: string
  status: number
  fields: (person: string) => Record<string, string>
}

const forms: Form[] = [
  {
    name: 'a login with a wrong password',
    path: '/accounts/login/',
    status: 422,
    fields: (login) => ({ login, password: 'not this one at all' }),
  },
  {
    name: 'a request for a code',
    path: '/accounts/login/code/',
    status: 303,
    fields: (person) => ({ email: `${person}@example.com` }),
  },
  {
    name: 'a request for a password link',
    path: '/accounts/password/reset/',
    status: 303,
    fields: (person) => ({ email: `${person}@example.com` }),
  },
]

const personOf = (kind: Kind, round: number): string => `${kind.replaceAll(' ', '-')}-${round}`

/** Submits a form as a separate client, because limits count clients; ms until the whole answer. */
async function send(url: string, form: Form, page: OpenForm, person: string, client: number) {
  const address = `10.${Math.floor(client / 62_500)}.${Math.floor(client / 250) % 250}.${client % 250}`
  const began = performance.now()
  const response = await fetch(url + form.path, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: page.cookies, origin: url, 'cf-connecting-ip': address, accept: 'text/html' },
    body: new URLSearchParams({ csrf_token: page.token, ...form.fields(person) }),
  })
  await response.arrayBuffer()
  const took = performance.now() - began
  if (response.status !== form.status) throw new Error(`${form.name} of ${person} was answered ${response.status}.`)
  return took
}

/** Whether response times reveal who has an account: medians for known and unknown people, measured in turn. */
export async function measureAnswerTimes(): Promise<Part> {
  const app = await startApp()
  try {
    const url = app.world.world.options.appUrl
    const known = kinds.filter((kind) => kind !== 'unknown')
    const names = known.flatMap((kind) => Array.from({ length: rounds }, (_, round) => personOf(kind, round)))
    await addPeople(app, names)
    await app.db.prepare("UPDATE email_address SET verified_at = NULL WHERE address LIKE 'unconfirmed%'").run()
    const figures: Figure[] = []
    let client = 0
    for (const form of forms) {
      const page = await openForm(url + form.path)
      for (let round = 0; round < 5; round += 1) await send(url, form, page, `warm-up-${round}`, (client += 1))
      const times = new Map<Kind, number[]>(kinds.map((kind) => [kind, []]))
      for (let round = 0; round < rounds; round += 1) {
        // A different one is first each time: background work of one request would always slow the same next one down.
        const turn = round % kinds.length
        for (const kind of [...kinds.slice(turn), ...kinds.slice(0, turn)])
          times.get(kind)?.push(await send(url, form, page, personOf(kind, round), (client += 1)))
      }
      for (const [kind, values] of times) {
        const { median, low, high } = medianInterval(values)
        const note = `95 %: ${low.toFixed(2)} to ${high.toFixed(2)}`
        figures.push({ what: `${form.name}, ${kind}`, value: median, unit: 'ms', note })
      }
    }
    return {
      name: `(t) Times of answers about people we know and do not know, medians of ${rounds}`,
      figures,
      notes: ['“Known” and “known again” are two groups of the same kind: their difference is noise.'],
    }
  } finally {
    await app.close()
  }
}
