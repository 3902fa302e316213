/**
 * Secrets and a binding that only some services need. `wrangler types` cannot know them, as wrangler.toml does not have them:
 * code that uses one must say what happens without it.
 */
interface __BaseEnv_Env {
  TWILIO_AUTH_TOKEN?: string
  RESEND_API_KEY?: string
  /** Signs the reports of Resend's webhook; without it none is believed. */
  RESEND_WEBHOOK_SECRET?: string
  /** The `send_email` binding, wanted only when MAIL_PROVIDER is "cloudflare". */
  MAIL?: SendEmail
  DISCORD_CLIENT_SECRET?: string
  VAPID_PRIVATE_KEY?: string
  /** The SECRET_KEY before the present one, while things encrypted with it are still about. */
  SECRET_KEY_PREVIOUS?: string
  STATS_TOKEN?: string
}

/** What src uses of Node's crypto inside the Worker; the rest of Node's types would hide mistakes there. */
declare module 'node:crypto' {
  export interface ScryptOptions {
    N: number
    r: number
    p: number
    /** bytes; Node refuses work that needs more */
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
