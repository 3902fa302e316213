import { queueNames, type QueueName } from './job.ts'

const letterOf: Readonly<Record<QueueName, string>> = { polls: 'p', refresh: 'r', alerts: 'a', maintenance: 'm' }

/** `{task}-{time}{number}{queue's letter}`, numbers in base 32: names of one task sort by time and fit into a URL. */
export function nameJob(task: string, queue: QueueName, createdAt: number, number: number): string {
  const slug = task.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  const time = Math.max(0, Math.trunc(createdAt)).toString(32).padStart(9, '0')
  return `${slug}-${time}${number.toString(32).padStart(5, '0')}${letterOf[queue]}`
}

const MAX_NAME_LENGTH = 200

/** The queue whose ledger holds the job of this name; null for an impossible name. */
export function queueOfJob(name: string): QueueName | null {
  if (name.length > MAX_NAME_LENGTH || !/^[a-z0-9-]*-[0-9a-v]{14,24}[pram]$/.test(name)) return null
  return queueNames.find((queue) => name.endsWith(letterOf[queue])) ?? null
}
