export interface Place {
  ticket: string
  /** What the message is about: messages about one opening are one flow. */
  flow: string
  kind: 'alert' | 'account'
  units: number
}

interface Flow {
  /** Of flows with equally many turns, the older goes first. */
  number: number
  turns: number
  /** Units by ticket, in the order they came. */
  tickets: Map<string, number>
}

/** While both wait, account email gets every fifth turn. */
const ALERT_STEP = 5 / 4
const ACCOUNT_STEP = 5

/**
 * The order of tickets. Alerts go before account email, which gets one turn in five while it waits. Among alerts, flows
 * take turns, so that an alert about another section never waits for a whole large group. Each kind has a clock that
 * advances by a fixed step for each ticket served; the kind whose clock is behind goes next.
 */
export class FairOrder {
  readonly #flows = new Map<string, Flow>()
  readonly #accounts = new Map<string, number>()
  /** The flow of each alert. */
  readonly #flowOf = new Map<string, string>()
  #flowsSeen = 0
  /** The most turns that a flow had. */
  #round = 0
  #units = 0
  #alertClock = 0
  #accountClock = 0

  /**
   * Adds the ticket at the end of its flow, unless it is already queued.
   * @param isFirst adds it at the beginning, because a pause took its slot
   */
  join({ ticket, flow: name, kind, units }: Place, isFirst = false): void {
    if (this.#accounts.has(ticket) || this.#flowOf.has(ticket)) return
    this.#units += units
    // Turns do not accumulate while nothing waits.
    if (kind === 'account') {
      if (this.#accounts.size === 0) this.#accountClock = Math.max(this.#accountClock, this.#alertClock)
      add(this.#accounts, ticket, units, isFirst)
      return
    }
    if (this.#flowOf.size === 0) this.#alertClock = Math.max(this.#alertClock, this.#accountClock - ACCOUNT_STEP)
    this.#flowOf.set(ticket, name)
    const flow = this.#flows.get(name) ?? this.#newFlow()
    add(flow.tickets, ticket, units, isFirst)
    this.#flows.set(name, flow)
  }

  leave(ticket: string): void {
    this.#units -= this.#accounts.get(ticket) ?? 0
    this.#accounts.delete(ticket)
    const name = this.#flowOf.get(ticket)
    const flow = name === undefined ? undefined : this.#flows.get(name)
    if (name === undefined || !flow) return
    this.#units -= flow.tickets.get(ticket) ?? 0
    flow.tickets.delete(ticket)
    this.#flowOf.delete(ticket)
    if (flow.tickets.size === 0) this.#flows.delete(name)
  }

  /** An estimate of the units served before this ticket: the tickets ahead of it, each with the average units. */
  unitsAhead(place: Place): number {
    return this.#ticketsAhead(place) * (this.#units / Math.max(1, this.#flowOf.size + this.#accounts.size))
  }

  /** The ticket was served and leaves; its flow moves behind the others. */
  served({ ticket, flow: name, kind }: Place): void {
    const flow = this.#flows.get(name)
    if (kind === 'account') this.#accountClock += ACCOUNT_STEP
    else this.#alertClock += ALERT_STEP
    if (kind === 'alert' && flow) {
      flow.turns += 1
      this.#round = Math.max(this.#round, flow.turns)
    }
    this.leave(ticket)
  }

  /** Joins the present round: flows that keep coming would otherwise always go before a group that has had a turn. */
  #newFlow(): Flow {
    this.#flowsSeen += 1
    return { number: this.#flowsSeen, turns: this.#round, tickets: new Map() }
  }

  #ticketsAhead({ ticket, flow, kind }: Place): number {
    if (kind === 'account') {
      const rank = rankOf(this.#accounts, ticket)
      const time = this.#accountClock + rank * ACCOUNT_STEP
      const before = time < this.#alertClock ? 0 : Math.floor((time - this.#alertClock) / ALERT_STEP) + 1
      return rank + Math.min(this.#flowOf.size, before)
    }
    const rank = this.#alertsAhead(flow, ticket)
    const before = Math.ceil((this.#alertClock + rank * ALERT_STEP - this.#accountClock) / ACCOUNT_STEP)
    return rank + Math.min(this.#accounts.size, Math.max(0, before))
  }

  #alertsAhead(name: string, ticket: string): number {
    const flow = this.#flows.get(name)
    if (!flow) return 0
    const rank = rankOf(flow.tickets, ticket)
    const turn = flow.turns + rank
    let ahead = rank
    for (const other of this.#flows.values()) {
      if (other === flow) continue
      const first = other.number < flow.number ? 1 : 0
      ahead += Math.min(other.tickets.size, Math.max(0, turn - other.turns + first))
    }
    return ahead
  }
}

function add(tickets: Map<string, number>, ticket: string, units: number, isFirst: boolean): void {
  const others = isFirst ? [...tickets] : []
  if (isFirst) tickets.clear()
  tickets.set(ticket, units)
  for (const [name, itsUnits] of others) tickets.set(name, itsUnits)
}

function rankOf(tickets: ReadonlyMap<string, number>, ticket: string): number {
  let rank = 0
  for (const one of tickets.keys()) {
    if (one === ticket) return rank
    rank += 1
  }
  return rank
}
