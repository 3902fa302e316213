import type { WorldOptions } from '../world/world.ts'
import type { BareSending } from './app/bare-worker.ts'
import { startApp } from './app/start-app.ts'

/**
 * How long the local runtime takes, s, for the requests of so many texts and for the reports that come in the meantime,
 * when nothing is stored, signed or decided. What the app takes beyond that is its own.
 */
export async function sendBarely(people: number, options: Partial<WorldOptions>): Promise<number> {
  const app = await startApp(options, 'bare-worker', { isStraight: true })
  try {
    const { twilioAccountSid: account, twilioAuthToken: token, appUrl } = app.world.world.options
    const callback = encodeURIComponent(`${appUrl}/notify/sms/status?delivery=`)
    const text = encodeURIComponent('Seat open: CS 101 Introduction 01, 1 seat, Bench 3001 Fall Term. '.repeat(2))
    const sending: BareSending = {
      people,
      url: `${app.world.url}/sms/2010-04-01/Accounts/${account}/Messages.json`,
      authorization: `Basic ${btoa(`${account}:${token}`)}`,
      form: `To=%2B1303{n}000&From=%2B12025550100&Body=${text}&StatusCallback=${callback}{n}-1&ValidityPeriod=7200`,
    }
    const startedAt = Date.now()
    await app.ask('/_bench/send', sending)
    const seconds = (Date.now() - startedAt) / 1000
    const { length } = app.world.world.messages
    if (length !== people) throw new Error(`A bare Worker sent ${length} messages instead of ${people}.`)
    return seconds
  } finally {
    await app.close()
  }
}
