import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startDevnet } from '../devnet/start-devnet.ts'
import { BLOCKCHAINS } from '../protocol/chains.ts'
import { VARIABLES } from '../worker/config.ts'
import { buildHook } from './build.ts'
import { bundleWorker } from './bundle-worker.ts'
import { runWorker } from './run-worker.ts'
import { serveSamples } from './serve-samples.ts'
import { storeSamples } from './store-samples.ts'

const STATE = fileURLToPath(new URL('../.hookline/', import.meta.url))
const CRON_MS = 60_000

const port = Number(process.env.PORT ?? 8787)
const devnetPort = Number(process.env.DEVNET_PORT ?? 18787)
const baseUrl = process.env.BASE_URL ?? `http://127.0.0.1:${port}`

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
    await writeFile(file, set, { mode: 0o600 })
    return set
  }
}

await mkdir(STATE, { recursive: true })
step('building the page helper')
await buildHook()
step('starting the embedded chains')
const chains = await startDevnet({
  port: devnetPort,
  blockMs: Number(process.env.DEVNET_BLOCK_MS ?? 2000),
  dataDir: join(STATE, 'devnet'),
})

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
  if (!process.env[`RPC_${name}`]) variables[`CONFIRMATIONS_${name}`] = '1'
}
for (const name of VARIABLES) {
  const own = process.env[name]
  if (own !== undefined) variables[name] = own
}

step('building the Worker')
const modules = await bundleWorker()
step('starting the Worker')
const miniflare = await runWorker({ modules, port, variables, stateDir: join(STATE, 'state') })
const worker = await miniflare.getWorker()
// Cron triggers never fire by themselves outside Cloudflare.
const cron = setInterval(() => {
  worker.scheduled({ cron: '* * * * *' }).catch((error: unknown) => console.error('the cron trigger failed', error))
}, CRON_MS)

const embedded = BLOCKCHAINS.every((blockchain) => !process.env[`RPC_${blockchain.toUpperCase()}`])
const samples = embedded
  ? await storeSamples({ stateDir: STATE, rpcUrl: chains.url, miniflare, onProgress: step })
  : undefined
const page =
  samples && (await serveSamples({ samples, baseUrl, storageHost: variables.STORAGE_HOST ?? '', port: port + 1 }))

const health = await fetch(`http://127.0.0.1:${port}/v0/health`)
step(health.ok ? 'ready' : `the Worker answers, and says that something is down: ${await health.text()}`)
console.log(`
${page ? `  A page to look at      ${page.url}\n` : ''}  API                    ${baseUrl}
  What it answers        ${baseUrl}/docs
  Embedded chains        ${chains.url('Bitcoin').replace('/Bitcoin', '/<blockchain>')}
  Mails it sent          ${chains.outboxUrl}

  Ctrl-C stops everything; the state is kept in .hookline/ (npm run reset removes it).
`)

let stopping = false
async function stop(): Promise<void> {
  if (stopping) return
  stopping = true
  clearInterval(cron)
  await page?.close()
  await miniflare.dispose()
  await chains.close()
  process.exit(0)
}
process.on('SIGINT', stop)
process.on('SIGTERM', stop)
process.on('SIGHUP', stop)
