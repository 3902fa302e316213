import { MODES } from '../world/faults.ts'
import { servicesOf, setFault } from '../world/control/control.ts'
import { randomFrom } from '../world/random.ts'
import { changeSeats, seatsAvailable } from '../world/schools/seats.ts'
import type { Section } from '../world/schools/types.ts'
import type { World } from '../world/world.ts'
import type { Disturbance } from './lateness.ts'

const moveMs = 200
const faultMs = 20_000
/** Only services that accept messages can break in these ways. */
const ofMessages: readonly string[] = ['accept_then_timeout', 'accept_then_reset', 'rate']

export interface Disruptions {
  /** Faults so far. */
  faults(): number
  /** Seat changes so far. */
  moves(): number
  /** When messages could not be sent. */
  disturbances: readonly Disturbance[]
  stop(): void
}

/**
 * Students come and go at every source, and services fail: for 20 s one service has one fault, then for 20 s none.
 * `still` are the sections that are not changed.
 */
export function startDisruptions(world: World, still: ReadonlySet<Section>): Disruptions {
  const random = randomFrom('soak')
  const moving = world.catalog.sections.filter(
    (section) => !section.term.past && !still.has(section) && !section.crossList,
  )
  let moves = 0
  let faults = 0
  const traffic = setInterval(() => {
    const section = random.pick(moving)
    const available = seatsAvailable(section) + random.pick([-1, 1, 2])
    if (available < -3 || available > section.seats.capacity) return
    changeSeats(section, { available })
    world.moved.add(section)
    world.changed()
    moves += 1
  }, moveMs)
  const disturbances: Disturbance[] = []
  let isOn = false
  const breaking = setInterval(() => {
    world.faults.clear()
    isOn = !isOn
    if (!isOn) return
    const service = random.pick(servicesOf(world))
    const isMessages = service === 'sms' || service === 'email'
    const modes = MODES.filter((name) => name !== 'stale_list' && (isMessages || !ofMessages.includes(name)))
    const mode = random.pick(modes)
    setFault(world, { service, mode, per_second: 1 })
    faults += 1
    const now = Date.now()
    if (isMessages) disturbances.push({ channel: service === 'sms' ? 'phone' : 'email', from: now, to: now + faultMs })
  }, faultMs)
  return {
    faults: () => faults,
    moves: () => moves,
    disturbances,
    stop() {
      clearInterval(traffic)
      clearInterval(breaking)
      world.faults.clear()
    },
  }
}
