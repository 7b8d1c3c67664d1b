import { expect, it } from 'vitest'
import { createDevnet } from '../../../../devnet/create-devnet.ts'
import { decodeTransaction } from '../../../../protocol/transaction.ts'
import { listCoins } from '../../../../worker/chain/rpc/fund-methods.ts'
import type { RpcCall, RpcOutcome } from '../../../../worker/chain/rpc/rpc-transport.ts'
import { sendTransactions } from '../../../../worker/chain/rpc/transaction-methods.ts'
import { signPlan } from '../../../../worker/features/transactions/sign/sign-plan.ts'
import { txChainLimits } from '../../../../worker/features/transactions/sign/tx-chain-limits.ts'
import { planTxChains } from '../../../../worker/features/writer/plan/plan-tx-chains.ts'

type Chain = 'Bitcoin' | 'Dogecoin'

/** The wallet of an embedded node, with a note of how many calls each request had, and of how many were under way at once. */
function openWallet(blockchain: Chain) {
  const devnet = createDevnet({ chains: [blockchain] })
  const requests: number[] = []
  const counts = { asked: 0, most: 0 }
  const rpc = async (calls: readonly RpcCall[]): Promise<RpcOutcome[]> => {
    requests.push(calls.length)
    counts.most = Math.max(counts.most, ++counts.asked)
    await scheduler.wait(1)
    const body = JSON.stringify(calls.map(({ method, params }, id) => ({ id, method, params })))
    const literal = (_: string, value: unknown, context?: { source?: string }) =>
      typeof value === 'number' ? context?.source : value
    const answers: { result: unknown; error: { code: string; message: string } | null }[] = JSON.parse(
      devnet.handle(blockchain, body).body,
      literal,
    )
    counts.asked--
    return answers.map(({ result, error }) =>
      error ? { error: { code: Number(error.code), message: error.message } } : { result },
    )
  }
  return { rpc, requests, counts }
}

/** A plan of so many transactions, of 40 bytes each, in so many tx chains. */
async function plan(rpc: ReturnType<typeof openWallet>['rpc'], transactions: number, txChains: number) {
  const coins = await listCoins(rpc, 1)
  const queue = Array.from({ length: transactions }, (_, index) => ({ itemId: 'a', index, length: 40 }))
  return planTxChains({
    txChains: [],
    coins,
    queue,
    remaining: { transactions },
    ceilings: new Map(),
    rates: new Map(),
    maxTxChains: txChains,
    limits: txChainLimits({ count: 100, vbytes: 1_000_000 }),
    feeRate: 1_000_000n,
    dust: 1_000_000n,
    changeScript: coins[0]?.script ?? '',
    nextTxChainId: 1,
  }).transactions
}

const data = () => new Uint8Array(40)

/** The version, lock time and sequence numbers of a signed transaction. */
function fieldsOf(bytes: Uint8Array | undefined) {
  const { version, lockTime, inputs } = decodeTransaction(bytes ?? new Uint8Array(0))
  return { version, lockTime, sequences: inputs.map(({ sequence }) => sequence) }
}

it('asks for more while it checks what was signed, and the node takes all of it', async () => {
  const { rpc, requests, counts } = openWallet('Bitcoin')
  const planned = await plan(rpc, 250, 3)
  requests.length = 0
  const { signed, failed } = await signPlan(rpc, 'Bitcoin', planned, data)
  expect(requests).toEqual([200, 50])
  expect(counts.most).toBe(2)
  expect(failed.size).toBe(0)
  expect(signed.map((one) => one.planned)).toEqual(planned)
  expect(fieldsOf(signed[0]?.bytes)).toEqual({ version: 2, lockTime: 0, sequences: [0xffff_ffff] })
  const raw = signed.map(({ bytes }) => ({ hex: Buffer.from(bytes).toString('hex'), anyFee: true }))
  const outcomes = await sendTransactions(rpc, 'Bitcoin', raw.slice(0, 24))
  expect(outcomes).toEqual(signed.slice(0, 24).map(({ txid }) => ({ result: txid })))
})

it('signs one after another where a signature is part of the txid', async () => {
  const { rpc, requests, counts } = openWallet('Dogecoin')
  const planned = await plan(rpc, 6, 1)
  requests.length = 0
  const { signed } = await signPlan(rpc, 'Dogecoin', planned, data)
  expect(requests).toEqual([1, 1, 1, 1, 1, 1])
  expect(counts.most).toBe(1)
  expect(signed.slice(1).map(({ inputs }) => inputs[0]?.txid)).toEqual(signed.slice(0, -1).map(({ txid }) => txid))
  expect(fieldsOf(signed[0]?.bytes)).toEqual({ version: 1, lockTime: 0, sequences: [0xffff_ffff] })
})

it('lets one that carries no data be replaced by a dearer one, and no other', async () => {
  const { rpc } = openWallet('Bitcoin')
  const [carries] = await plan(rpc, 1, 1)
  if (!carries) throw new Error('nothing planned')
  const sign = async (changes: Partial<typeof carries>) => {
    const { signed } = await signPlan(rpc, 'Bitcoin', [{ ...carries, payload: undefined, ...changes }], () => undefined)
    return fieldsOf(signed[0]?.bytes).sequences
  }
  expect(await sign({})).toEqual([0xffff_fffd])
  const pays = { withdrawalId: 'id', script: carries.script, value: 1_000n }
  expect(await sign({ pays })).toEqual([0xffff_fffd])
  const { signed } = await signPlan(rpc, 'Bitcoin', [carries], data)
  expect(fieldsOf(signed[0]?.bytes).sequences).toEqual([0xffff_ffff])
})

it('ends a tx chain at the first that is not signed, where each waits for the one before it', async () => {
  const { rpc } = openWallet('Dogecoin')
  const planned = await plan(rpc, 6, 1)
  let asked = 0
  const failing = async (calls: readonly RpcCall[]): Promise<RpcOutcome[]> =>
    ++asked === 3 ? calls.map(() => ({ error: { code: -5, message: 'no key for this input' } })) : await rpc(calls)
  const { signed, failed } = await signPlan(failing, 'Dogecoin', planned, data)
  expect([signed.length, [...failed.keys()], asked]).toEqual([2, [1], 3])
})

it('ends only the tx chain that the wallet cannot sign for, also what was asked for with it', async () => {
  const { rpc } = openWallet('Bitcoin')
  const planned = await plan(rpc, 250, 3)
  const third = planned.filter(({ txChain }) => txChain === 2)[2]
  let count = 0
  const failing = async (calls: readonly RpcCall[]): Promise<RpcOutcome[]> => {
    const outcomes = await rpc(calls)
    const error = { error: { code: -5, message: 'no key for this input' } }
    return outcomes.map((outcome) => (planned[count++] === third ? error : outcome))
  }
  const { signed, failed } = await signPlan(failing, 'Bitcoin', planned, data)
  expect([...failed.keys()]).toEqual([2])
  expect(signed.map((one) => one.planned)).toEqual(planned.filter(({ txChain, seq }) => txChain !== 2 || seq < 2))
})
