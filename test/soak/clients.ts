/** One client in ten attacks. Some of the others share one address, as on a campus. */
export interface Clients {
  /** Addresses of legitimate users, one entry per client: a shared one is there several times. */
  honest: readonly string[]
  attacking: readonly string[]
  /** The staff's address. */
  staff: string
}

const MIN_CLIENTS = 30
const onCampus = 15
const campus = '203.0.113.1'
const staff = '203.0.113.2'

const addressIn = (network: number, number: number): string =>
  `${network}.20.${Math.floor(number / 250)}.${(number % 250) + 1}`

/** @param rate requests a second: there are twice as many clients, so that each behaves like one person */
export function clientsFor(rate: number): Clients {
  const count = Math.max(MIN_CLIENTS, rate * 2)
  const attackers = Math.round(count / 10)
  const alone = count - attackers - onCampus
  return {
    honest: [
      ...Array.from({ length: onCampus }, () => campus),
      ...Array.from({ length: alone }, (_, number) => addressIn(100, number)),
    ],
    attacking: Array.from({ length: attackers }, (_, number) => addressIn(172, number)),
    staff,
  }
}
