import { readAnswer } from '../../devnet/rpc/exact-json.ts'
import { callMethod } from '../../devnet/rpc/handle-rpc.ts'
import { RpcError as NodeRpcError } from '../../devnet/rpc/rpc-error.ts'
import type { ListFold } from '../../worker/chain/rpc/fold-list.ts'
import { NodeError, type RpcCall, type RpcOutcome } from '../../worker/chain/rpc/rpc-transport.ts'
import type { WalletRpc } from '../../worker/chain/rpc/wallet-rpc.ts'
import { isRecord } from '../../worker/platform/http/is-record.ts'
import { runEffect } from './effects.ts'
import { watchMempool } from './note-history.ts'
import { checkTried, noteTaken } from './watch-sent.ts'
import type { World } from './world.ts'

/** A response to the service, as far as it reads one of a node: the platform's takes longer to make than all that is in it. */
class NodeAnswer {
  readonly status = 200
  readonly headers: ReadonlyMap<string, string>
  readonly body: AsyncIterable<Uint8Array>
  readonly #bytes: Uint8Array<ArrayBuffer>

  constructor(text: string) {
    const bytes = new Uint8Array(new TextEncoder().encode(text))
    this.#bytes = bytes
    this.headers = new Map([['Content-Length', String(bytes.length)]])
    this.body = {
      async *[Symbol.asyncIterator]() {
        yield bytes
      },
    }
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return this.#bytes.buffer
  }
}

/** The service's way to its node. */
export function rpcOf(world: World): WalletRpc {
  return nodeOf(world, world.config.chains[world.blockchain].wallet)
}

function nodeOf(world: World, wallet: string | undefined): WalletRpc {
  return async (calls, { fold } = {}) => {
    if (calls.length === 0) return []
    const name = `RPC ${[...new Set(calls.map(({ method }) => method))].join()}`
    const outcomes = await runEffect(
      world,
      name,
      () => new NodeError('timeout', `The node did not answer. (${name})`),
      () => answerCalls(world, calls, wallet),
      () => [JSON.stringify(calls), wallet],
    )
    return fold ? await Promise.all(outcomes.map((outcome) => takeList(outcome, fold))) : outcomes
  }
}

/** Passes on what is in the list of an answer, as it does that arrives from a network. */
async function takeList(outcome: RpcOutcome, { list, take }: ListFold): Promise<RpcOutcome> {
  const result = 'result' in outcome && isRecord(outcome.result) ? outcome.result : {}
  const entries = result[list]
  if (!Array.isArray(entries)) return outcome
  await take(entries)
  return { result: { ...result, [list]: [] } }
}

/** What the Durable Object reaches: the node, by HTTP. */
export function fetchOf(world: World): (url: string, init: RequestInit) => Promise<NodeAnswer> {
  return async (url, init) => {
    const rpc = nodeOf(world, /\/wallet\/(.+)$/.exec(url)?.[1])
    const calls: { method: string; params: unknown[] }[] = JSON.parse(String(init.body))
    const outcomes = await rpc(calls)
    return new NodeAnswer(
      JSON.stringify(outcomes.map((outcome, id) => ({ id, result: null, error: null, ...outcome }))),
    )
  }
}

function answerCalls(world: World, calls: readonly RpcCall[], wallet: string | undefined): RpcOutcome[] {
  const cut = world.cutBatchAfter
  world.cutBatchAfter = undefined
  const heard = cut === undefined ? calls : calls.slice(0, cut)
  const outcomes = heard.map((call): RpcOutcome => {
    checkTried(world, call)
    const own = callNode(world, call, wallet)
    const other = answerOfAnother(world, call)
    if (other) return other
    if ('result' in own) noteTaken(world, call, own.result)
    return own
  })
  watchMempool(world)
  const hot = world.node.wallets.get('')
  if (hot) world.ownWallets.add(hot)
  if (heard.length === calls.length) return outcomes
  world.stage.faults++
  world.stage.log.push(`the node stops after ${heard.length} of ${calls.length} calls`)
  throw new NodeError('timeout', 'The node did not answer.')
}

function callNode(world: World, { method, params }: RpcCall, wallet: string | undefined): RpcOutcome {
  // The embedded node calls the service's own wallet by no name.
  const name = wallet === world.config.chains[world.blockchain].wallet ? '' : wallet
  try {
    return { result: readAnswer(callMethod(world.node, method, params, name), String) }
  } catch (error) {
    if (!(error instanceof NodeRpcError)) throw error
    return { error: { code: error.code, message: error.message } }
  }
}

function answerOfAnother(world: World, call: RpcCall): RpcOutcome | undefined {
  for (const { answer } of world.models.values()) {
    const outcome = answer?.(world, call)
    if (outcome) return outcome
  }
  return undefined
}
