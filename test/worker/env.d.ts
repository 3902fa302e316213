declare namespace Cloudflare {
  interface Env {
    TEST_MIGRATIONS: import('cloudflare:test').D1Migration[]
    WORLD_URL: string
    RESEND_WEBHOOK_SECRET: string
  }
}
