import { describe, expect, it } from 'vitest'
import type { WalletRpc } from '../../../../worker/chain/rpc/wallet-rpc.ts'
import { isLost, writeOffDeposit } from '../../../../worker/features/operate/write-off-deposit.ts'
import { beaten, noted } from '../../noted-calls.ts'
import { add, clear, read } from '../../rows.ts'

const DAY = 86_400_000
const terms = { confirmations: 3, now: 20 * DAY }

describe('a credited deposit that is in no block', () => {
  it('is lost once another is as deep in its place, and never while the wallet has it', () => {
    const lost = [-3, -4, -2, 0, 3].map((confirmations) => isLost({ goneAt: 0 }, { confirmations }, terms))
    expect(lost).toEqual([true, true, false, false, false])
  })

  it('is lost where the wallet does not know it only when no mempool has it any more', () => {
    const lost = [6 * DAY - 1, 6 * DAY, undefined].map((goneAt) => isLost({ goneAt }, undefined, terms))
    expect(lost).toEqual([true, false, false])
  })
})

describe('a deposit that is written off', () => {
  const txid = 'a'.repeat(64)
  const rpc: WalletRpc = async () => [{ error: { code: -5, message: 'unknown to the wallet' } }]
  const writeOff = async (name: string, context = noted().context) =>
    await writeOffDeposit({ ...context, rpcOf: () => rpc }, name, () => [])
  const output = { txid, address: 'to', amount: '5', credited: 1, gone_at: 1 }

  it('is one that was credited and is in no block', async () => {
    await clear('outputs', 'addresses', 'ledger')
    await add('addresses', { address: 'to' })
    await add('outputs', output, { ...output, vout: 1, credited: 0 })
    await add('outputs', { ...output, vout: 2, block_height: 3, block_hash: 'x' })
    for (const name of [`Bitcoin-${txid}-1`, `Dogecoin-${txid}-0`, `Bitcoin-${txid}`, `IPFS-${txid}-0`])
      await expect(writeOff(name)).rejects.toMatchObject({ status: 404 })
    await expect(writeOff(`Bitcoin-${txid}-2`)).rejects.toMatchObject({ code: 'request_changing' })
    expect(await writeOff(`Bitcoin-${txid}-0`)).toMatchObject({ amount: 5n, loss: 5n })
    await expect(writeOff(`Bitcoin-${txid}-0`)).rejects.toMatchObject({ status: 404 })
    expect(await read('outputs', 'vout', 'credited')).toEqual({ 0: 0, 1: 0, 2: 1 })
  })

  it('stays as it is where others were faster five times', async () => {
    await clear('outputs', 'ledger')
    await add('outputs', output)
    const { context, calls } = noted()
    const beating = writeOff(`Bitcoin-${txid}-0`, beaten(context))
    await expect(beating).rejects.toMatchObject({ code: 'request_changing' })
    expect(calls.filter((call) => call.includes('FROM ledger'))).toHaveLength(5)
    expect([await read('outputs', 'vout', 'credited'), await read('ledger', 'seq', 'amount')]).toEqual([{ 0: 1 }, {}])
  })
})
