import { expect, it } from 'vitest'
import { fromHex, toHex } from '../../../../protocol/bytes.ts'
import { decodeTransaction, encodeTransaction, type Transaction } from '../../../../protocol/transaction.ts'
import type { RpcCall } from '../../../../worker/chain/rpc/rpc-transport.ts'
import { signPlan } from '../../../../worker/features/transactions/sign/sign-plan.ts'
import { anyCoin, planOne } from './signing-agent.ts'

/** Has a wallet sign a transaction that returns it as `change` makes it. */
const sign = (change: (given: Transaction) => Transaction) => {
  const rpc = async (calls: readonly RpcCall[]) =>
    calls.map(({ params = [] }) => {
      const given = decodeTransaction(fromHex(String(params[0])) ?? new Uint8Array(0))
      return { result: { hex: toHex(encodeTransaction(change(given))), complete: true } }
    })
  return signPlan(rpc, 'Bitcoin', planOne().transactions, () => undefined)
}

it.each<[string, (given: Transaction) => Transaction]>([
  ['pays more', (given) => ({ ...given, outputs: given.outputs.map((one) => ({ ...one, value: one.value + 1n })) })],
  [
    'pays somebody else',
    (given) => ({ ...given, outputs: given.outputs.map((one) => ({ ...one, script: Uint8Array.of(0x51) })) }),
  ],
  ['spends another coin', (given) => ({ ...given, inputs: given.inputs.map((one) => ({ ...one, vout: 7 })) })],
])('nothing is kept where the wallet returns a transaction that %s', async (_, change) => {
  await expect(sign(change)).rejects.toThrow('signed another transaction than it was given')
  expect((await sign((given) => given)).signed).toHaveLength(1)
})

it('nothing is kept where the wallet returns no transaction', async () => {
  const rpc = async (calls: readonly RpcCall[]) => calls.map(() => ({ result: { hex: 'zz', complete: true } }))
  await expect(signPlan(rpc, 'Bitcoin', planOne().transactions, () => undefined)).rejects.toThrow('gave no hex')
})

it('the wallet is told what is spent, but for its own scripts of a hash, which it knows better', async () => {
  const coins = [anyCoin(), { ...anyCoin(), script: `a914${'ab'.repeat(20)}87` }]
  const told: unknown[] = []
  const rpc = async (calls: readonly RpcCall[]) =>
    calls.map(({ params = [] }) => {
      told.push(params[1])
      return { result: { hex: params[0], complete: true } }
    })
  await signPlan(
    rpc,
    'Bitcoin',
    planOne().transactions.map((one) => ({ ...one, spends: coins })),
    () => undefined,
  )
  expect(told).toEqual([[expect.objectContaining({ txid: coins[0]?.txid })]])
})
