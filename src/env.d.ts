/**
 * Secrets that only some services need. `wrangler types` leaves them out, because wrangler.toml requires only
 * SECRET_KEY; code that uses one must handle its absence.
 */
interface __BaseEnv_Env {
  TWILIO_AUTH_TOKEN?: string
  RESEND_API_KEY?: string
  /** Signs the reports of Resend's webhook; without it, none are accepted. */
  RESEND_WEBHOOK_SECRET?: string
  /** The `send_email` binding of wrangler.toml: needed only when MAIL_PROVIDER is "cloudflare", else it may be absent. */
  MAIL?: SendEmail
  DISCORD_CLIENT_SECRET?: string
  VAPID_PRIVATE_KEY?: string
  /** The previous SECRET_KEY, as long as data encrypted with it exists. */
  SECRET_KEY_PREVIOUS?: string
  STATS_TOKEN?: string
}

/** The parts of Node's crypto that src uses in the Worker; the rest of Node's types would hide mistakes there. */
declare module 'node:crypto' {
  export interface ScryptOptions {
    N: number
    r: number
    p: number
    /** The most bytes of memory; Node refuses work that needs more. */
    maxmem: number
  }
  export function scrypt(
    password: string,
    salt: Uint8Array,
    keyLength: number,
    options: ScryptOptions,
    done: (error: Error | null, key: Uint8Array) => void,
  ): void
}
