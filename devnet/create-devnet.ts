import { join } from 'node:path'
import { BLOCKCHAINS, type Blockchain } from '../protocol/chains.ts'
import { addressScript } from './address.ts'
import { type Journal, openJournal } from './journal.ts'
import { Node } from './node.ts'
import { NODE_SETTINGS, type NodeSettings } from './node-settings.ts'
import { Outbox } from './outbox.ts'
import { FAUCET } from './premine.ts'
import { handleRpc, type RpcAnswer } from './rpc/handle-rpc.ts'

export interface DevnetOptions {
  /** Where chains, wallets and mails are kept; in memory only without it. */
  dataDir?: string
  /** Milliseconds since 1970; the clock of the machine without it. */
  now?: () => number
  /** What wallet keys come from: the same seed gives the same addresses. */
  seed?: string
  /** Which chains; all of them without it. */
  chains?: readonly Blockchain[]
  /** Changes to how a node is built and configured. */
  settings?: Partial<Record<Blockchain, Partial<NodeSettings>>>
}

/** An embedded node of each chain and a mail outbox, without HTTP. */
export interface Devnet {
  outbox: Outbox
  now: () => number
  node(blockchain: Blockchain): Node
  /** By its name in a URL, capitals or not. */
  findNode(name: string): Node | undefined
  /** Answers the body of a JSON-RPC request. @throws {RangeError} for a chain there is not. */
  handle(name: string, body: string, wallet?: string): RpcAnswer
  /** Mines a block on every chain where something waits; says how many that were. */
  mineWaiting(): number
  close(): void
}

/** Makes the embedded chains: new, or as `dataDir` has them. */
export function createDevnet({
  dataDir,
  now = Date.now,
  seed = 'devnet',
  chains = BLOCKCHAINS,
  settings,
}: DevnetOptions = {}): Devnet {
  const journals: Journal[] = []
  const nodes = new Map<string, Node>()
  for (const blockchain of chains) {
    const journal = dataDir === undefined ? undefined : openJournal(join(dataDir, `${blockchain}.jsonl`))
    if (journal) journals.push(journal)
    const node = new Node({
      settings: { ...NODE_SETTINGS[blockchain], ...settings?.[blockchain] },
      now,
      seed,
      ...(journal && { journal }),
    })
    nodes.set(blockchain, node)
    nodes.set(blockchain.toLowerCase(), node)
  }
  const outbox = new Outbox(dataDir === undefined ? undefined : join(dataDir, 'outbox.jsonl'))
  const find = (name: string): Node => {
    const node = nodes.get(name)
    if (!node) throw new RangeError(`no embedded chain ${name}`)
    return node
  }
  return {
    outbox,
    now,
    node: find,
    findNode: (name) => nodes.get(name),
    handle: (name, body, wallet) => handleRpc(find(name), body, wallet),
    mineWaiting() {
      const waiting = chains.map(find).filter(({ mempool }) => mempool.entries.size > 0)
      for (const node of waiting) node.mine(minerScript(node))
      return waiting.length
    },
    close() {
      for (const journal of journals) journal.close()
      outbox.close()
    },
  }
}

/** Rewards of blocks that come by themselves go to an address nobody has: the faucet's coins stay as they are. */
function minerScript({ settings, wallets }: Node): Uint8Array {
  const [key] = wallets.get(FAUCET)?.keys.values() ?? []
  return addressScript(key?.address ?? '', settings.address) ?? Uint8Array.of(0x51)
}
