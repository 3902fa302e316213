import {
  type Answer,
  BudgetSpent,
  type Group,
  type Lane,
  type Source,
  type SourceAddress,
  type Tools,
} from '../../src/sources/source.ts'

interface CountedLane {
  lane: Lane
  /** Addresses requested so far, in order. */
  asked: string[]
  /** From when on no request is allowed any more; default: never. */
  refuseFrom(isSpent: () => boolean): void
}

/** A lane that counts its requests: the budget is called before every request, so the two must agree. */
export function openCounted(source: Source, address: SourceAddress, tools: Partial<Tools> = {}): CountedLane {
  const asked: string[] = []
  let allowed = 0
  let isSpent = () => false
  const ask = tools.fetch ?? ((input, init) => fetch(input, init))
  const lane = source.openLane(address, {
    budget: async () => {
      if (isSpent()) throw new BudgetSpent(0)
      allowed++
    },
    now: Date.now,
    timeout_ms: 5000,
    ...tools,
    fetch: (input, init) => {
      asked.push(input)
      if (allowed < asked.length) throw new Error('A request went out without asking the budget.')
      return ask(input, init)
    },
  })
  return { lane, asked, refuseFrom: (condition) => void (isSpent = condition) }
}

export function groupOf(fields: Partial<Group> & Pick<Group, 'term' | 'subject'>): Group {
  return { school: '', school_name: '', term_name: '', subject_name: '', career: '', ...fields }
}

/** The value, or a failure that says why there is none. */
export function believed<Value>(answer: Answer<Value>): Value {
  if (!answer.known) throw new Error(`unknown (${answer.reason}): ${answer.why}`)
  return answer.value
}

export async function collected<Item>(items: AsyncIterable<Item> | undefined): Promise<Item[]> {
  const list: Item[] = []
  if (items === undefined) throw new Error('the source does not offer this')
  for await (const item of items) list.push(item)
  return list
}
