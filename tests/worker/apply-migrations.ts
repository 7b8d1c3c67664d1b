import { applyD1Migrations, env } from 'cloudflare:test'
import { limitD1 } from './limit-d1.ts'
import { validateAnswers } from './validate-answers.ts'

limitD1()
validateAnswers()
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
