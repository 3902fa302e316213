import { Faults } from './faults.ts'
import type { DeviceRecord } from './push/device.ts'
import { makeCatalog, type Catalog } from './schools/catalog.ts'
import type { CatalogSize } from './schools/generate.ts'
import type { Section } from './schools/types.ts'

/** How a world is set up. Everything but the app's address and the SMS account has a default. */
export interface WorldOptions {
  /** 0 (the default) uses any free port. */
  port?: number
  /** Public origin of the app, where replies and delivery reports are sent. */
  appUrl: string
  twilioAccountSid: string
  twilioAuthToken: string
  /** The number that replies are sent to before the app has sent anything. */
  smsFrom?: string
  /** Keeps seats and messages over a restart. */
  stateFile?: string
  /** True if the world must not keep its process alive (a test run's configuration). */
  unref?: boolean
  seed?: string
  size?: CatalogSize
  /** Milliseconds since epoch; decides which terms exist. */
  now?: number
  /** Seats change automatically, one section at this interval in ms. */
  trafficMs?: number
  /** How long `slow` takes. */
  slowMs?: number
  retryAfterSeconds?: number
  /** How long the SMS provider takes to answer, and then to deliver. */
  smsAnswerMs?: number
  /** How long the email provider takes to answer. */
  mailAnswerMs?: number
  smsDeliveryMs?: number | SmsReportTimes
  /** The application that the app signs people in with. */
  discordClientId?: string
  discordClientSecret?: string
  /** Calls of one kind that a caller may make in 10 s. */
  discordCallsPer10s?: number
  /** Idle limits of the schools' sessions. */
  bannerSessionMs?: number
  cunySessionMs?: number
}

/** When the SMS provider reports on a message, ms after it accepted it; different for each message. */
export interface SmsReportTimes {
  sent: { least: number; most: number }
  delivered: { least: number; most: number }
}

/** A message, both as the provider remembers it and as the outbox shows it until the outbox is emptied. */
export interface SmsRecord {
  sid: string
  to: string
  from: string
  body: string
  direction: 'outbound-api' | 'outbound-reply' | 'inbound'
  status: 'queued' | 'sent' | 'delivered' | 'undelivered' | 'failed' | 'received'
  errorCode: number | null
  at: number
  inOutbox: boolean
}

export interface EmailRecord {
  id: string
  from: string
  to: string[]
  subject: string
  text: string
  html: string
  headers: Record<string, string>
  at: number
  inOutbox: boolean
}

export interface DiscordRecord {
  url: string
  body: unknown
  at: number
  inOutbox: boolean
}

/** A notification as its device received it. */
export interface NotificationRecord {
  id: string
  deviceId: string
  /** The device's name. */
  device: string
  title: string
  body: string
  url: string
  /** All of it, as JSON. */
  payload: string
  ttl: number
  urgency: string
  topic: string
  at: number
  shownAt: number | null
  openedAt: number | null
  inOutbox: boolean
}

interface RequestRecord {
  service: string
  method: string
  path: string
  at: number
}

const KEPT_REQUESTS = 100_000

/** Everything that the stand-ins share: what exists, what was sent, what was requested, what is broken. */
export interface World {
  /** Its address, once it listens. */
  url: string
  options: Required<Omit<WorldOptions, 'stateFile' | 'size' | 'trafficMs' | 'port' | 'unref'>> &
    Pick<WorldOptions, 'stateFile' | 'trafficMs'>
  catalog: Catalog
  faults: Faults
  /** Every message by phone, in both directions; the provider's own memory, which lookups read. */
  messages: SmsRecord[]
  /** Phones that sent STOP to the provider. */
  optedOut: Set<string>
  emails: EmailRecord[]
  posts: DiscordRecord[]
  devices: DeviceRecord[]
  notifications: NotificationRecord[]
  requests: RequestRecord[]
  /** Revoked Discord invites, by code. */
  revokedInvites: Set<string>
  /** Ends every school session, like a restart of the school's servers. */
  endSessions: Set<() => void>
  /** Sections whose figures no longer follow from the seed. */
  moved: Set<Section>
  /** Called after any change that must survive a restart. */
  changed(): void
  log(request: RequestRecord): void
  now(): number
}

/** A new world, without a server around it yet. */
export function makeWorld(options: WorldOptions): World {
  const now = options.now ?? Date.now()
  const seed = options.seed ?? 'a quiet morning'
  const world: World = {
    url: '',
    options: {
      appUrl: options.appUrl,
      twilioAccountSid: options.twilioAccountSid,
      twilioAuthToken: options.twilioAuthToken,
      smsFrom: options.smsFrom ?? '+12025550100',
      seed,
      now,
      slowMs: options.slowMs ?? 3000,
      retryAfterSeconds: options.retryAfterSeconds ?? 2,
      smsAnswerMs: options.smsAnswerMs ?? 0,
      mailAnswerMs: options.mailAnswerMs ?? 0,
      smsDeliveryMs: options.smsDeliveryMs ?? 400,
      discordClientId: options.discordClientId ?? 'local-world',
      discordClientSecret: options.discordClientSecret ?? 'local-world-discord-secret',
      discordCallsPer10s: options.discordCallsPer10s ?? 50,
      bannerSessionMs: options.bannerSessionMs ?? 30 * 60_000,
      cunySessionMs: options.cunySessionMs ?? 20 * 60_000,
      ...(options.stateFile === undefined ? {} : { stateFile: options.stateFile }),
      ...(options.trafficMs === undefined ? {} : { trafficMs: options.trafficMs }),
    },
    catalog: makeCatalog(seed, now, options.size),
    faults: new Faults(),
    messages: [],
    optedOut: new Set(),
    emails: [],
    posts: [],
    devices: [],
    notifications: [],
    requests: [],
    revokedInvites: new Set(),
    endSessions: new Set(),
    moved: new Set(),
    changed: () => {},
    log: (request) => {
      world.requests.push(request)
      if (world.requests.length > KEPT_REQUESTS * 1.1) world.requests.splice(0, world.requests.length - KEPT_REQUESTS)
    },
    now: () => Date.now(),
  }
  return world
}
