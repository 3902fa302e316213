import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { keyOf } from './schools/find.ts'
import type { Seats, Section } from './schools/types.ts'
import type { DeviceRecord } from './push/device.ts'
import type { DiscordRecord, EmailRecord, NotificationRecord, SmsRecord, World } from './world.ts'

/** Messages of each kind kept over a restart. */
const KEPT = 500
const WRITE_DELAY = 300

interface SavedSection {
  seats: Seats
  group: number | null
  offered: boolean
}

interface SavedState {
  seed: string
  sections: Record<string, SavedSection>
  messages: SmsRecord[]
  emails: EmailRecord[]
  posts: DiscordRecord[]
  /** Absent in files of earlier worlds. */
  devices?: DeviceRecord[]
  notifications?: NotificationRecord[]
  optedOut: string[]
}

function read(file: string): SavedState | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as SavedState
  } catch {
    // No file yet, or one cut off by a crash: the world starts over.
    return null
  }
}

function restore(world: World, saved: SavedState): void {
  world.messages.push(...saved.messages)
  world.emails.push(...saved.emails)
  world.posts.push(...saved.posts)
  world.devices.push(...(saved.devices ?? []))
  world.notifications.push(...(saved.notifications ?? []))
  for (const phone of saved.optedOut) world.optedOut.add(phone)
  if (saved.seed !== world.options.seed) return
  for (const section of world.catalog.sections) {
    const kept = saved.sections[keyOf(section)]
    if (!kept) continue
    section.seats = kept.seats
    section.offered = kept.offered
    if (section.crossList && kept.group !== null) section.crossList.capacity = kept.group
    world.moved.add(section)
  }
}

function save(world: World, file: string): void {
  const kept = (section: Section): SavedSection => ({
    seats: section.seats,
    group: section.crossList?.capacity ?? null,
    offered: section.offered,
  })
  const state: SavedState = {
    seed: world.options.seed,
    sections: Object.fromEntries([...world.moved].map((section) => [keyOf(section), kept(section)])),
    messages: world.messages.slice(-KEPT),
    emails: world.emails.slice(-KEPT),
    posts: world.posts.slice(-KEPT),
    devices: world.devices.slice(-KEPT),
    notifications: world.notifications.slice(-KEPT),
    optedOut: [...world.optedOut],
  }
  writeFileSync(`${file}.new`, JSON.stringify(state))
  renameSync(`${file}.new`, file)
}

/**
 * Restores what a former run left in `file` and writes every later change to it, completely and under another name
 * first, so that a crash leaves the old or the new state. Returns a function that writes anything still waiting.
 */
export function keepState(world: World, file: string): () => void {
  const saved = read(file)
  if (saved) restore(world, saved)
  let waiting: NodeJS.Timeout | null = null
  const flush = (): void => {
    if (waiting === null) return
    clearTimeout(waiting)
    waiting = null
    save(world, file)
  }
  world.changed = () => {
    waiting ??= setTimeout(flush, WRITE_DELAY).unref()
  }
  return flush
}
