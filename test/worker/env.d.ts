declare namespace Cloudflare {
  interface Env {
    TEST_MIGRATIONS: import('cloudflare:test').D1Migration[]
    /** The script of `schemaOf`. */
    TEST_SCHEMA: string
    WORLD_URL: string
    RESEND_WEBHOOK_SECRET: string
  }
}
