import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PRESENT_NODES } from '../../devnet/node-settings.ts'
import { startDevnet } from '../../devnet/start-devnet.ts'
import { ConfigurationError, checkConfig } from '../../worker/platform/config/config.ts'
import { buildHook } from '../build.ts'
import { buildCommand } from '../build-command.ts'
import { buildConsole } from '../build-console.ts'
import { bundleWorker } from '../bundle-worker.ts'
import { endWithParent } from '../end-with-parent.ts'
import { linkCommand } from '../link-command.ts'
import { lockState } from '../lock-state.ts'
import { openBucket, runWorker } from '../run-worker.ts'
import { serveSamples } from '../serve-samples.ts'
import { storeSamples } from '../store-samples.ts'
import { pinDevnet } from './pin-devnet.ts'
import type { StartEnvironment } from './read-environment.ts'
import { tokenKeys } from './token-keys.ts'
import { allEmbedded, workerVariables } from './worker-variables.ts'

const CRON_MS = 60_000

export interface Run {
  environment: StartEnvironment
  /** Folder of all stored state. */
  state: string
  /** Called with each step, to be shown. */
  onStep(text: string): void
  /** What ends what was started, in the order it was started. */
  closers: (() => unknown)[]
}

/** Starts chains, Worker and sample page. Resolves to what is to be printed, `undefined` where a setting is wrong. */
export async function runEverything({ environment, state, onStep, closers }: Run): Promise<string | undefined> {
  const { port, devnetPort, blockMs, baseUrl } = environment
  closers.push(lockState(state))
  endWithParent()
  onStep('building the console')
  await buildConsole()
  onStep('starting the embedded chains')
  const chains = await startDevnet({
    port: devnetPort,
    blockMs,
    dataDir: join(state, 'devnet'),
    settings: PRESENT_NODES,
  })
  closers.push(() => chains.close())
  const services = { rpcUrl: chains.url, outboxUrl: chains.outboxUrl, tokenKeys: await tokenKeys(state) }
  const variables = workerVariables(environment, services, process.env)

  const stateDir = join(state, 'state')
  // Before the port opens, so that the samples exist when the Worker is ready.
  const samples = allEmbedded(process.env)
    ? await storeSamples({
        folder: state,
        openBucket: () => openBucket(stateDir),
        rpcUrl: chains.url,
        onProgress: onStep,
      })
    : undefined
  onStep('building the page helper, the command and the Worker')
  const tiles = new Map<string, Uint8Array>()
  const pinned = samples && (await pinDevnet(chains.devnet, async (key, bytes) => tiles.set(key, bytes)))
  await buildHook(pinned)
  await buildCommand(undefined, pinned)
  linkCommand(fileURLToPath(new URL('../..', import.meta.url)))
  const modules = await bundleWorker()
  if (samples) variables.CONSOLE_LETTER ??= `Bitcoin:${samples.letter.join(',')}`
  onStep('starting the Worker')
  closers.push(await startWorker({ modules, port, variables, stateDir }, tiles))
  const page =
    samples && (await serveSamples({ samples, baseUrl, storageHost: variables.STORAGE_HOST ?? '', port: port + 1 }))
  if (page) closers.push(() => page.close())

  const checked = checkConfig(variables)
  if (checked instanceof ConfigurationError) {
    const problems = checked.problems.map((problem) => `           - ${problem}`)
    onStep(`not ready: the Worker answers 503 to everything until this is fixed\n${problems.join('\n')}\n`)
    return undefined
  }
  const health = await fetch(`http://127.0.0.1:${port}/v0/health`)
  onStep(health.ok ? 'ready' : `ready, but something is down: ${await health.text()}`)
  return `
${page ? `  Sample page            ${page.url}\n` : ''}  Console                ${forPeople(baseUrl)}/console
  API                    ${baseUrl}
  API description        ${baseUrl}/docs
  Embedded chains        ${chains.url('Bitcoin').replace('/Bitcoin', '/<blockchain>')}
  Sent mails             ${variables.MAIL_URL}
${samples ? `  Faucet                 ${variables.CONSOLE_FAUCET}\n  Prices (made up)       ${variables.PRICE_URL}\n` : ''}  Command                npx hookline login --api ${baseUrl}

  Ctrl-C stops everything; the state is stored in .hookline/ (npm run reset removes it).
`
}

/**
 * Runs the Worker, and its cron trigger, which never fires by itself outside Cloudflare, with what a deployment uploads. Returns
 * what ends both.
 */
async function startWorker(
  options: Parameters<typeof runWorker>[0],
  uploads: ReadonlyMap<string, Uint8Array>,
): Promise<() => Promise<void>> {
  const miniflare = await runWorker(options)
  const bucket = await miniflare.getR2Bucket('BUCKET')
  for (const [key, bytes] of uploads) await bucket.put(key, bytes)
  const trigger = async (): Promise<void> => {
    // Requested each time: Miniflare restarts workerd if it has ended, and an earlier reference does not work then.
    const worker = await miniflare.getWorker()
    await worker.scheduled({ cron: '* * * * *' })
  }
  const run = () => trigger().catch((error: unknown) => console.error('the cron trigger failed', error))
  const cron = setInterval(run, CRON_MS)
  await run()
  return async () => {
    clearInterval(cron)
    await miniflare.dispose()
  }
}

/** The address under which browsers take passkeys: on this machine by its name, since they take none for an IP address. */
function forPeople(baseUrl: string): string {
  return baseUrl.replace('//127.0.0.1', '//localhost')
}
