import { afterEach, beforeEach, vi } from 'vitest'
import { writeOpReturn } from '../../protocol/op-return.ts'
import { encodeTransaction, transactionId } from '../../protocol/transaction.ts'

/** A node that answers as a test says: with what it has, or as only a broken or lying one would. */
export class ScriptedNode {
  readonly transactions = new Map<string, string>()
  /** HTTP requests, with the txids each asked for. */
  readonly requests: string[][] = []
  /** Results of methods, by what they are called with; `undefined` for what {@link transactions} has to answer. */
  readonly methods = new Map<string, (...params: unknown[]) => unknown>()
  misbehave: ((answer: () => Response, signal: AbortSignal) => Response | Promise<Response>) | undefined

  async answer(request: Request): Promise<Response> {
    const batch: { id: number; method: string; params: [string, ...unknown[]] }[] = await request.json()
    this.requests.push(batch.map(({ params: [txid] }) => txid))
    const honest = () =>
      Response.json(
        batch.map(({ id, method, params }) => {
          const result = this.methods.get(method)?.(...params)
          if (result !== undefined) return { result, error: null, id }
          const [txid] = params
          const hex = this.transactions.get(txid)
          const error = { code: -5, message: 'No such mempool or blockchain transaction.' }
          return hex ? { result: hex, error: null, id } : { result: null, error, id }
        }),
      )
    return await (this.misbehave?.(honest, request.signal) ?? honest())
  }
}

/** One node for each RPC URL of vitest.worker.ts, new for each test. */
export function useScriptedNodes() {
  const nodes = {
    'bitcoin-a.test': new ScriptedNode(),
    'bitcoin-b.test': new ScriptedNode(),
    'nativecoin.test': new ScriptedNode(),
    'dogecoin.test': new ScriptedNode(),
  }
  beforeEach(() => {
    for (const node of Object.values(nodes)) {
      node.transactions.clear()
      node.methods.clear()
      node.requests.length = 0
      node.misbehave = undefined
    }
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const request = new Request(input, init)
      const { hostname } = new URL(request.url)
      const node = Object.entries(nodes).find(([host]) => host === hostname)?.[1]
      if (!node) throw new TypeError(`no node at ${hostname}`)
      if (request.headers.get('Authorization') !== `Basic ${btoa('user:secret')}`)
        return new Response(null, { status: 401 })
      return await node.answer(request)
    })
  })
  afterEach(() => void vi.restoreAllMocks())
  return nodes
}

let serial = 0

/** A transaction of its own that carries `data` in one OP_RETURN output; raw, with a witness if asked. */
export function carry(data: Uint8Array, { witness = false } = {}): { txid: string; hex: string } {
  return carryScripts([writeOpReturn(data)], { witness })
}

/** A transaction of its own with these output scripts. */
export function carryScripts(scripts: readonly Uint8Array[], { witness = false } = {}): { txid: string; hex: string } {
  const transaction = {
    version: 2,
    inputs: [
      {
        txid: (++serial).toString(16).padStart(64, '0'),
        vout: 0,
        script: new Uint8Array(0),
        sequence: 0xffffffff,
        witness: witness ? [new Uint8Array(71), new Uint8Array(33)] : [],
      },
    ],
    outputs: scripts.map((script) => ({ value: 0n, script })),
    lockTime: 0,
  }
  return {
    txid: transactionId(encodeTransaction(transaction, { witness: false })),
    hex: Buffer.from(encodeTransaction(transaction)).toString('hex'),
  }
}

/** Cuts `data` into transactions of at most `size` bytes, gives them to the nodes, and returns their txids. */
export function store(nodes: readonly ScriptedNode[], data: Uint8Array, size = 80): string[] {
  const txids: string[] = []
  for (let start = 0; start < data.length; start += size) {
    const { txid, hex } = carry(data.subarray(start, start + size), { witness: true })
    for (const node of nodes) node.transactions.set(txid, hex)
    txids.push(txid)
  }
  return txids
}
