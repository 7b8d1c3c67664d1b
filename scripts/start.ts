import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PRESENT_NODES } from '../devnet/node-settings.ts'
import { startDevnet } from '../devnet/start-devnet.ts'
import { BLOCKCHAINS } from '../protocol/chains.ts'
import { ConfigurationError, checkConfig, VARIABLES } from '../worker/config/config.ts'
import { buildHook } from './build.ts'
import { buildCommand } from './build-command.ts'
import { buildConsole } from './build-console.ts'
import { bundleWorker } from './bundle-worker.ts'
import { closeAll } from './close-all.ts'
import { endWithParent } from './end-with-parent.ts'
import { lockState, StateLockedError } from './lock-state.ts'
import { openBucket, runWorker } from './run-worker.ts'
import { serveSamples } from './serve-samples.ts'
import { storeSamples } from './store-samples.ts'
import { writeWhole } from './write-whole.ts'

const STATE = fileURLToPath(new URL('../.hookline/', import.meta.url))
const CRON_MS = 60_000

/** A port from the environment; anything else ends this with a sentence. */
function readPort(name: 'PORT' | 'DEVNET_PORT', fallback: number): number {
  const text = process.env[name] || String(fallback)
  const value = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (value >= 1 && value <= 65_535) return value
  console.error(`${name} is ${text}, which is no port: a whole number from 1 to 65535.`)
  process.exit(1)
}

const port = readPort('PORT', 8787)
const devnetPort = readPort('DEVNET_PORT', 18_787)
const baseUrl = process.env.BASE_URL ?? `http://127.0.0.1:${port}`

const blockMs = Number(process.env.DEVNET_BLOCK_MS ?? 2000)

const started = Date.now()
function step(text: string): void {
  console.log(`${((Date.now() - started) / 1000).toFixed(1).padStart(5)} s  ${text}`)
}

/** The keys that sign this machine's tokens, made once and kept. */
async function tokenKeys(): Promise<string> {
  const file = join(STATE, 'token-keys.json')
  try {
    return await readFile(file, 'utf8')
  } catch {
    const set = JSON.stringify({ keys: [{ kty: 'oct', k: randomBytes(32).toString('base64url') }] })
    await writeWhole(file, set, 0o600)
    return set
  }
}

const closers: (() => unknown)[] = []
let stopping = false
async function stop(status = 0): Promise<void> {
  if (stopping) return
  stopping = true
  await closeAll(closers)
  process.exit(status)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop())
// package.json says `exec` so that signals sent to npm come here and not to a shell in between (a shell without `exec`,
// as on Windows, does the other half of that line). Nothing tells of npm's own violent death but another parent.
const parent = process.ppid
const watch = setInterval(() => {
  if (process.env.npm_lifecycle_event === 'start' && process.ppid !== parent) void stop()
}, 500)
watch.unref()

async function start(): Promise<void> {
  closers.push(lockState(STATE))
  endWithParent()
  step('building the page helper, the console and the command')
  await buildHook()
  await buildCommand()
  await buildConsole()
  step('starting the embedded chains')
  const chains = await startDevnet({
    port: devnetPort,
    blockMs,
    dataDir: join(STATE, 'devnet'),
    settings: PRESENT_NODES,
  })
  closers.push(() => chains.close())

  const variables: Record<string, string> = {
    BASE_URL: baseUrl,
    STORAGE_HOST: `storage.localhost:${port}`,
    TOKEN_JWKS: await tokenKeys(),
    MAIL_URL: chains.outboxUrl,
    MAIL_TOKEN: 'devnet',
    MAIL_FROM: 'Hookline <hookline@localhost>',
  }
  for (const blockchain of BLOCKCHAINS) {
    const name = blockchain.toUpperCase()
    variables[`RPC_${name}`] = chains.url(blockchain)
    // An embedded chain has no rivals: one block is as good as six.
    if (!process.env[`RPC_${name}`]) {
      variables[`CONFIRMATIONS_${name}`] = '1'
      variables[`BLOCK_SECONDS_${name}`] = String(Math.max(1, Math.ceil(blockMs / 1000)))
    }
  }
  for (const name of VARIABLES) {
    const own = process.env[name]
    if (own !== undefined) variables[name] = own
  }

  const stateDir = join(STATE, 'state')
  step('building the Worker')
  const modules = await bundleWorker()
  const embedded = BLOCKCHAINS.every((blockchain) => !process.env[`RPC_${blockchain.toUpperCase()}`])
  // Before the port opens: whoever sees the Worker ready finds the samples there.
  const samples = embedded
    ? await storeSamples({
        folder: STATE,
        openBucket: () => openBucket(stateDir),
        rpcUrl: chains.url,
        onProgress: step,
      })
    : undefined
  if (samples) variables.CONSOLE_LETTER ??= `Bitcoin:${samples.letter.join(',')}`
  if (variables.MAIL_URL === chains.outboxUrl) variables.CONSOLE_OUTBOX ??= chains.outboxUrl
  step('starting the Worker')
  const miniflare = await runWorker({ modules, port, variables, stateDir })
  closers.push(() => miniflare.dispose())
  const worker = await miniflare.getWorker()
  // Cron triggers never fire by themselves outside Cloudflare.
  const cron = setInterval(() => {
    worker.scheduled({ cron: '* * * * *' }).catch((error: unknown) => console.error('the cron trigger failed', error))
  }, CRON_MS)
  closers.push(() => clearInterval(cron))
  const page =
    samples && (await serveSamples({ samples, baseUrl, storageHost: variables.STORAGE_HOST ?? '', port: port + 1 }))
  if (page) closers.push(() => page.close())

  const checked = checkConfig(variables)
  if (checked instanceof ConfigurationError) {
    const problems = checked.problems.map((problem) => `           - ${problem}`)
    step(`not ready: the Worker answers 503 to everything until this is put right\n${problems.join('\n')}\n`)
    return
  }
  const health = await fetch(`http://127.0.0.1:${port}/v0/health`)
  step(health.ok ? 'ready' : `the Worker answers, and says that something is down: ${await health.text()}`)
  console.log(`
${page ? `  A page to look at      ${page.url}\n` : ''}  The console            ${baseUrl}/console
  API                    ${baseUrl}
  What it answers        ${baseUrl}/docs
  Embedded chains        ${chains.url('Bitcoin').replace('/Bitcoin', '/<blockchain>')}
  Mails it sent          ${variables.MAIL_URL}
  Command                npx hookline login --api ${baseUrl}

  Ctrl-C stops everything; the state is kept in .hookline/ (npm run reset removes it).
`)
}

try {
  await start()
} catch (error) {
  const known = error instanceof StateLockedError ? error.message : undefined
  const taken = error instanceof Error && 'code' in error && /ADDRESS_IN_USE|EADDRINUSE/.test(String(error.code))
  const message = `A port is taken: PORT (${port}) and DEVNET_PORT (${devnetPort}) choose others. Is another npm start running?`
  console.error(known ?? (taken ? message : error))
  await stop(1)
}
