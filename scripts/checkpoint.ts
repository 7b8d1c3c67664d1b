import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { BLOCKCHAINS, type Blockchain, CHAINS, isBlockchain } from '../protocol/chains.ts'
import { NodeError, postBatch, type RpcCall } from '../worker/chain/rpc/rpc-transport.ts'
import { parseEndpoints, type RpcEndpoint } from '../worker/platform/config/parse-setting.ts'
import { addCheckpoint } from './checkpoint/checkpoint-file.ts'
import { CheckpointError, makeCheckpoint } from './checkpoint/make-checkpoint.ts'
import { tileFiles } from './checkpoint/tile-files.ts'
import { EnvironmentError, environmentFiles, PRODUCTION } from './deploy/environment.ts'
import { ROOT, readSettings } from './deploy/wrangler.ts'
import { showUsageIfAsked } from './show-usage.ts'

const USAGE = `Usage: npm run checkpoint -- <chain>… [--env <name>] [--folder <path>]
Asks the node of RPC_<CHAIN>, from the environment or the settings, for the hashes of its blocks.`

/** Milliseconds, and bytes, of one answer of the node. */
const PATIENCE = 120_000
const MAX_ANSWER = 4 << 20

function readArguments(): { chains: Blockchain[]; name: string; folder: string } {
  const options = { env: { type: 'string' }, folder: { type: 'string' } } as const
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const chains = positionals.filter(isBlockchain)
  if (chains.length === 0 || chains.length < positionals.length) {
    throw new CheckpointError(`${USAGE}\nThe chains are ${BLOCKCHAINS.join(', ')}, capitals as written here.`)
  }
  return { chains, name: values.env ?? PRODUCTION, folder: values.folder ?? join(ROOT, 'proof') }
}

async function findNode(blockchain: Blockchain, name: string): Promise<RpcEndpoint> {
  const setting = `RPC_${CHAINS[blockchain].settingSuffix}`
  const settings = (await readSettings(environmentFiles(name).settings)) ?? {}
  const [node] = parseEndpoints(process.env[setting] ?? settings[setting])
  if (!node) throw new CheckpointError(`${setting} is not set: it is the address of the node of ${blockchain}.`)
  return node
}

async function pin(blockchain: Blockchain, name: string, folder: string): Promise<void> {
  const node = await findNode(blockchain, name)
  const call = (calls: readonly RpcCall[]) =>
    postBatch(node, calls, { signal: AbortSignal.timeout(PATIENCE), maxBytes: MAX_ANSWER })
  const onProgress = (blocks: number, total: number) => {
    if (process.stderr.isTTY) process.stderr.write(`\r${blockchain}: ${blocks} of ${total} blocks`)
  }
  const checkpoint = await makeCheckpoint(blockchain, { call, tiles: tileFiles(folder, blockchain), onProgress })
  if (process.stderr.isTTY) process.stderr.write('\n')
  const file = join(folder, 'checkpoints.json')
  await mkdir(folder, { recursive: true })
  await addCheckpoint(file, blockchain, checkpoint)
  console.log(`${blockchain}: block ${checkpoint.height}, root ${checkpoint.root}, in ${file}`)
}

showUsageIfAsked(USAGE)
try {
  const { chains, name, folder } = readArguments()
  for (const blockchain of chains) await pin(blockchain, name, folder)
} catch (error) {
  const isUsage = error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  const isKnown = error instanceof CheckpointError || error instanceof EnvironmentError || error instanceof NodeError
  if (!isUsage && !isKnown) throw error
  console.error(error.message)
  process.exitCode = 1
}
