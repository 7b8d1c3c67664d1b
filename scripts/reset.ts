import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { lockState, StateLockedError } from './lock-state.ts'

// The state that `npm start` keeps: the embedded chains, the database, the stored files.
const STATE = fileURLToPath(new URL('../.hookline', import.meta.url))

try {
  // Given back at once: Windows removes no file that is open.
  lockState(STATE)()
  await rm(STATE, { recursive: true, force: true })
  console.log('Removed .hookline. `npm start` begins anew.')
} catch (error) {
  console.error(error instanceof StateLockedError ? error.message : error)
  process.exitCode = 1
}
