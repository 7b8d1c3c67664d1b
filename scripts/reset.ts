import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { lockState, StateLockedError } from './lock-state.ts'

// The state of `npm start`: the embedded chains, the database, the stored files.
const STATE = fileURLToPath(new URL('../.hookline', import.meta.url))

try {
  // Released at once, because Windows does not delete open files.
  lockState(STATE)()
  await rm(STATE, { recursive: true, force: true })
  console.log('Removed .hookline. `npm start` begins anew.')
} catch (error) {
  console.error(error instanceof StateLockedError ? error.message : error)
  process.exitCode = 1
}
