import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type RunningDevnet, startDevnet } from '../../devnet/start-devnet.ts'
import type { Checkpoints } from '../../reader/proof/parse-checkpoints.ts'
import { buildHook } from '../../scripts/build.ts'
import { bundleWorker } from '../../scripts/bundle-worker.ts'
import { pinDevnet } from '../../scripts/start/pin-devnet.ts'
import { runOnNodes } from './run-on-nodes.ts'
import type { RunningWorker } from './start-worker.ts'

/**
 * The built Worker with a page helper that pins its embedded chains, as `npm start` has it. `store` stores what the pinned
 * blocks shall have, and returns its names; what it puts into the bucket is there when the Worker runs.
 */
export async function startPinnedWorker<Stored>(
  store: (chains: RunningDevnet, bucket: Map<string, Uint8Array>) => Promise<Stored>,
): Promise<RunningWorker & { stored: Stored; checkpoints: Checkpoints }> {
  const folder = await mkdtemp(join(tmpdir(), 'hookline-pinned-'))
  const chains = await startDevnet({ port: 0, blockMs: 0 })
  const objects = new Map<string, Uint8Array>()
  const stored = await store(chains, objects)
  const checkpoints = await pinDevnet(chains.devnet, async (key, bytes) => objects.set(key, bytes))
  await buildHook(checkpoints, pathToFileURL(`${folder}/hook/`))
  const modules = await bundleWorker(join(folder, 'worker'), join(folder, 'hook'))
  const variables = { INSCRIPTIONS: 'Bitcoin,Dogecoin' }
  const miniflare = await runOnNodes({ modules, rpc: chains.url, variables })
  const bucket = await miniflare.getR2Bucket('BUCKET')
  for (const [key, bytes] of objects) await bucket.put(key, bytes)
  return {
    stored,
    checkpoints,
    url: (await miniflare.unsafeGetDirectURL()).origin,
    miniflare,
    chains,
    async close() {
      await miniflare.dispose()
      await chains.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
