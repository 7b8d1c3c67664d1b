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
  /** Where chains, wallets and mails are stored. Default: in memory only. */
  dataDir?: string
  /** Milliseconds since 1970. Default: the machine's clock. */
  now?: () => number
  /** The source of wallet keys: the same seed yields the same addresses. */
  seed?: string
  /** The chains. Default: all. */
  chains?: readonly Blockchain[]
  /** Changes to how a node is built and configured. */
  settings?: Partial<Record<Blockchain, Partial<NodeSettings>>>
}

/** An embedded node of each chain and a mail outbox, without HTTP. */
export interface Devnet {
  outbox: Outbox
  now: () => number
  node(blockchain: Blockchain): Node
  /** By the chain's name in a URL, in any case. */
  findNode(name: string): Node | undefined
  /**
   * The response to a JSON-RPC request.
   * @throws {RangeError} for an unknown chain
   */
  handle(name: string, body: string, wallet?: string): RpcAnswer
  /** Mines a block on every chain with waiting transactions; returns the number of blocks. */
  mineWaiting(): number
  close(): void
}

/** Creates the embedded chains, or loads them from `dataDir`. */
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

/** Rewards of automatic blocks are paid to an address that nobody has, so that the faucet's coins do not change. */
function minerScript({ settings, wallets }: Node): Uint8Array {
  const [key] = wallets.get(FAUCET)?.keys.values() ?? []
  return addressScript(key?.address ?? '', settings.address) ?? Uint8Array.of(0x51)
}
