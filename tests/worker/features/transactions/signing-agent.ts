import { env } from 'cloudflare:workers'
import { toHex } from '../../../../protocol/bytes.ts'
import type { RpcCall, RpcOutcome } from '../../../../worker/chain/rpc/rpc-transport.ts'
import type { Plan } from '../../../../worker/features/transactions/sign/tx-chain-plan.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'

export const script = `0014${'ab'.repeat(20)}`

/** A coin of a key that nobody has, in no transaction that there is. */
export function anyCoin(value = 10_000n) {
  return { txid: toHex(crypto.getRandomValues(new Uint8Array(32))), vout: 0, value, script }
}

/** One transaction in a tx chain of its own, of a coin that nothing else spends. */
export function planOne(): Plan {
  const id = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0
  const coin = anyCoin()
  const money = { change: 9_000n, fee: 1_000n, vsize: 150 }
  const transaction = { txChain: id, seq: 0, spends: [coin], payload: undefined, splits: [], script, ...money }
  return { transactions: [transaction], opened: [{ id, coin, script }], closed: [] }
}

/** A wallet that signs anything. */
export const signAny = async (calls: readonly RpcCall[]): Promise<RpcOutcome[]> =>
  calls.map(({ params: [hex] }) => ({ result: { hex, complete: true } }))

/** What an agent works with whose wallet signs anything, or does what `rpc` does. */
export function agent(storage: Pick<typeof env, 'DB' | 'BUCKET'>, rpc = signAny) {
  return {
    blockchain: 'Bitcoin' as const,
    config: readConfig(env),
    db: storage.DB,
    bucket: storage.BUCKET,
    rpc,
    now: Date.now(),
  }
}
