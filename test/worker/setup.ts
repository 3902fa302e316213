import { applyD1Migrations, reset } from 'cloudflare:test'
import { env } from 'cloudflare:workers'

// Every file starts with nothing but the tables.
await reset()
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
