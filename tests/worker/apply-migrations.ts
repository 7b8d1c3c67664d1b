import { applyD1Migrations, env } from 'cloudflare:test'
import { limitD1 } from './limit-d1.ts'

limitD1()
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
