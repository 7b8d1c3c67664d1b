import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import { closeAll } from './close-all.ts'
import { StateLockedError } from './lock-state.ts'
import { OlderDatabaseError } from './migrations.ts'
import { EnvironmentError, readEnvironment, type StartEnvironment } from './start/read-environment.ts'
import { runEverything } from './start/run-everything.ts'

const STATE = fileURLToPath(new URL('../.hookline/', import.meta.url))

const started = Date.now()
function showStep(text: string): void {
  console.log(`${((Date.now() - started) / 1000).toFixed(1).padStart(5)} s  ${text}`)
}

const closers: (() => unknown)[] = []
let stopping = false
async function stop(status = 0): Promise<void> {
  if (stopping) return
  stopping = true
  await closeAll(closers)
  process.exit(status)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (!stopping) console.log('\n  Stopping. What was stored remains in .hookline/.')
    // As shells number it.
    void stop(128 + constants.signals[signal])
  })
}
// package.json says `exec` so that signals sent to npm come here and not to a shell in between (a shell without `exec`,
// as on Windows, does the other half of that line). Nothing tells of npm's own violent death but another parent.
const parent = process.ppid
const watch = setInterval(() => {
  if (process.env.npm_lifecycle_event === 'start' && process.ppid !== parent) void stop()
}, 500)
watch.unref()

/** What a person can do about an error; the error itself where there is nothing to say. */
function explain(error: unknown, environment: StartEnvironment | undefined): unknown {
  const isTold = [StateLockedError, EnvironmentError, OlderDatabaseError].some((kind) => error instanceof kind)
  if (isTold && error instanceof Error) return error.message
  const isInUse = error instanceof Error && 'code' in error && /ADDRESS_IN_USE|EADDRINUSE/.test(String(error.code))
  if (!isInUse || !environment) return error
  const { port, devnetPort } = environment
  return `A port is in use: PORT (${port}) and DEVNET_PORT (${devnetPort}) choose others. Is another npm start running?`
}

let environment: StartEnvironment | undefined
try {
  environment = readEnvironment(process.env)
  const text = await runEverything({ environment, state: STATE, onStep: showStep, closers })
  if (text) console.log(text)
} catch (error) {
  console.error(explain(error, environment))
  await stop(1)
}
