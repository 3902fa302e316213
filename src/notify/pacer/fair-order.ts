export interface Place {
  ticket: string
  /** What the message is about: messages about one opening are one flow. */
  flow: string
  kind: 'alert' | 'account'
  units: number
}

/** The order of tickets, and what was served. */
export interface FairOrder {
  /** Adds the ticket at the end of its flow, unless it is already queued. */
  join(place: Place): void
  leave(ticket: string): void
  /** Units served before this ticket, if the queue does not change. */
  unitsAhead(place: Place): number
  /** The ticket was served and leaves; its flow moves behind the others. */
  served(place: Place): void
}

interface Flow {
  /** Of flows with equally many turns, the older goes first. */
  number: number
  turns: number
  /** Units by ticket, in the order they came. */
  tickets: Map<string, number>
}

/** While both wait, account mail gets every fifth turn. */
const ALERT_STEP = 5 / 4
const ACCOUNT_STEP = 5

/**
 * Alerts go before account mail, which gets one turn in five while it waits. Among alerts, flows take turns, so that an
 * alert about another section never waits for a whole large group. Each kind has a clock that advances with the units
 * it was served; the kind whose clock is behind goes next.
 */
export function fairOrder(): FairOrder {
  const flows = new Map<string, Flow>()
  const accounts = new Map<string, number>()
  const flowOf = new Map<string, string>()
  let flowsSeen = 0
  let alerts = 0
  let units = 0
  let alertClock = 0
  let accountClock = 0

  function leave(ticket: string): void {
    units -= accounts.get(ticket) ?? 0
    accounts.delete(ticket)
    const name = flowOf.get(ticket)
    const flow = name === undefined ? undefined : flows.get(name)
    if (name === undefined || !flow) return
    units -= flow.tickets.get(ticket) ?? 0
    flow.tickets.delete(ticket)
    flowOf.delete(ticket)
    alerts -= 1
    if (flow.tickets.size === 0) flows.delete(name)
  }

  function alertsAhead(name: string, ticket: string): number {
    const flow = flows.get(name)
    if (!flow) return 0
    const rank = rankOf(flow.tickets, ticket)
    const turn = flow.turns + rank
    let ahead = rank
    for (const other of flows.values()) {
      if (other === flow) continue
      const first = other.number < flow.number ? 1 : 0
      ahead += Math.min(other.tickets.size, Math.max(0, turn - other.turns + first))
    }
    return ahead
  }

  function ticketsAhead({ ticket, flow, kind }: Place): number {
    if (kind === 'account') {
      const rank = rankOf(accounts, ticket)
      const time = accountClock + rank * ACCOUNT_STEP
      const before = time < alertClock ? 0 : Math.floor((time - alertClock) / ALERT_STEP) + 1
      return rank + Math.min(alerts, before)
    }
    const rank = alertsAhead(flow, ticket)
    const before = Math.max(0, Math.ceil((alertClock + rank * ALERT_STEP - accountClock) / ACCOUNT_STEP))
    return rank + Math.min(accounts.size, before)
  }

  return {
    join({ ticket, flow: name, kind, units: wanted }) {
      if (accounts.has(ticket) || flowOf.has(ticket)) return
      units += wanted
      if (kind === 'account') {
        // Turns do not accumulate while nothing waits.
        if (accounts.size === 0) accountClock = Math.max(accountClock, alertClock)
        accounts.set(ticket, wanted)
        return
      }
      if (alerts === 0) alertClock = Math.max(alertClock, accountClock - ACCOUNT_STEP)
      alerts += 1
      flowOf.set(ticket, name)
      const flow = flows.get(name)
      if (flow) {
        flow.tickets.set(ticket, wanted)
        return
      }
      const turns = Math.min(...Array.from(flows.values(), (other) => other.turns))
      const tickets = new Map([[ticket, wanted]])
      flows.set(name, { number: (flowsSeen += 1), turns: Number.isFinite(turns) ? turns : 0, tickets })
    },
    leave,
    unitsAhead: (place) => ticketsAhead(place) * (units / Math.max(1, alerts + accounts.size)),
    served({ ticket, flow: name, kind }) {
      const flow = flows.get(name)
      if (kind === 'account') accountClock += ACCOUNT_STEP
      else alertClock += ALERT_STEP
      if (kind === 'alert' && flow) flow.turns += 1
      leave(ticket)
    },
  }
}

function rankOf(tickets: ReadonlyMap<string, number>, ticket: string): number {
  let rank = 0
  for (const one of tickets.keys()) {
    if (one === ticket) return rank
    rank += 1
  }
  return rank
}
