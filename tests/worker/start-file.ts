import { env } from 'cloudflare:test'
import { vi } from 'vitest'
import { cheapenHashes } from './cheap-hashes.ts'
import { clearMemories } from './clear-memories.ts'
import { clearStorage } from './clear-storage.ts'
import { limitD1 } from './limit-d1.ts'
import { makeDatabase } from './make-database.ts'
import { validateAnswers } from './validate-answers.ts'

// Files share a workerd, which is slow to start. Each begins as if it were alone: with the real clock, nothing replaced,
// nothing stored, nothing remembered and no object awake, whatever the file before it left.
vi.useRealTimers()
vi.restoreAllMocks()
vi.unstubAllGlobals()
await clearStorage()
clearMemories()
limitD1()
validateAnswers()
cheapenHashes()
await makeDatabase(env.DB, env.TEST_MIGRATIONS)
