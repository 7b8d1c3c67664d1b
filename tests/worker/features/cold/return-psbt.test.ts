import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { toHex } from '../../../../protocol/bytes.ts'
import { decodeTransaction, encodeTransaction, transactionId } from '../../../../protocol/transaction.ts'
import type { WalletRpc } from '../../../../worker/chain/rpc/wallet-rpc.ts'
import { findRawRejectReason } from '../../../../worker/features/cold/finish-raw.ts'
import { returnPsbt } from '../../../../worker/features/cold/return-psbt.ts'
import { noted } from '../../noted-calls.ts'
import { add, clear, list } from '../../rows.ts'

const row = {
  ...{ withdrawal_id: 'asked', blockchain: 'Bitcoin', txid: 't', psbt: '', fee: '3', vsize: 100, created_at: 0 },
  ...{ change_vout: 0, change_value: '0', change_script: '', offered: 1 },
}
beforeEach(() => clear('psbts', 'withdrawals', 'stops'))

/** Gives one back, of which no node is to be asked. */
async function giveBack(): Promise<unknown> {
  const { context } = noted()
  const rpc: WalletRpc = () => Promise.reject(new Error('asked'))
  return await returnPsbt({ ...context, rpcOf: () => rpc }, 'asked', { psbt: 'cHNidP8=' }, () => [])
}

describe('a PSBT that somebody returns', () => {
  it('is none where none was shown', async () => {
    await add('withdrawals', { id: 'asked' })
    await expect(giveBack()).rejects.toMatchObject({ status: 404 })
    await add('psbts', { ...row, offered: 0 })
    await expect(giveBack()).rejects.toMatchObject({ status: 404 })
  })

  it('is not looked at where its withdrawal is over, or an operator ends it', async () => {
    await add('psbts', row)
    await add('withdrawals', { id: 'asked', ending: 'refunded' })
    await expect(giveBack()).rejects.toMatchObject({ status: 409, code: 'withdrawal_ended' })
    await env.DB.prepare("UPDATE withdrawals SET ending = NULL, state = 'refunded'").run()
    await expect(giveBack()).rejects.toMatchObject({ status: 409, code: 'withdrawal_ended' })
  })

  it('is not taken while payouts are stopped; a stop of writing prevents nothing', async () => {
    await add('psbts', row)
    await add('withdrawals', { id: 'asked' })
    const stop = { blockchain: 'Bitcoin', cause: 'hand', reason: '', since: 1 }
    await add('stops', { ...stop, part: 'writing' })
    await expect(giveBack()).rejects.toThrow('asked')
    await add('stops', { ...stop, part: 'payouts' })
    await expect(giveBack()).rejects.toMatchObject({ status: 503, code: 'payouts_stopped' })
  })
})

describe('a signed raw transaction', () => {
  const spent = { txid: 'c'.repeat(64), vout: 0, script: '51', value: '9' }
  const input = { txid: spent.txid, vout: 0, script: Uint8Array.of(1), sequence: 0, witness: [] }
  const bytes = encodeTransaction({
    ...{ version: 1, lockTime: 0 },
    inputs: [input],
    outputs: [{ value: 6n, script: Uint8Array.of(0x51) }],
  })
  const psbt = JSON.stringify({ hex: '', spent: [spent], since: '' })

  /** Why it is refused with so much of a fee, by a node that has it with `confirmations` or not, and its coin or not. */
  async function refusal(fee: bigint, confirmations: number | undefined, isUnspent: boolean) {
    const known = { hex: toHex(bytes), txid: transactionId(bytes), confirmations: String(confirmations) }
    const rpc: WalletRpc = async (calls) =>
      calls.map(({ method }) => {
        if (method === 'gettransaction' && confirmations === undefined) return { error: { code: -5, message: '' } }
        return { result: method === 'gettransaction' ? known : method === 'gettxout' ? (isUnspent ? {} : null) : {} }
      })
    return await findRawRejectReason(rpc, 'Dogecoin', { psbt, fee }, toHex(bytes))
  }

  it('is checked by the node once, and kept with what is recorded of it', async () => {
    const script = Uint8Array.from([71, ...new Array<number>(70).fill(9), 1, 33, ...new Array<number>(33).fill(3)])
    const signed = { ...decodeTransaction(bytes), inputs: [{ ...input, script }] }
    const hex = toHex(encodeTransaction(signed))
    const text = JSON.stringify({ hex: toHex(bytes), spent: [spent], since: '' })
    await add('psbts', { ...row, blockchain: 'Dogecoin', psbt: text })
    await add('withdrawals', { id: 'asked', blockchain: 'Dogecoin' })
    const asked: string[] = []
    const rpc: WalletRpc = async (calls) =>
      calls.map(({ method }) => {
        asked.push(method)
        return { result: { hex, complete: true, confirmations: '0' } }
      })
    const { context } = noted()
    const record = vi.fn(() => [])
    await returnPsbt({ ...context, rpcOf: () => rpc }, 'asked', { hex }, record)
    expect(asked).toEqual(['signrawtransaction', 'gettransaction'])
    expect([await list('psbts', 'signed'), record.mock.calls.length]).toEqual([[hex], 1])
  })

  it('is taken where it is known already, though its coin is spent: by itself', async () => {
    expect([await refusal(0n, 0, false), await refusal(0n, 3, false)]).toEqual([undefined, undefined])
  })

  it('is refused where another spends its coin, also where that is in a block', async () => {
    const reason = 'another transaction spends one of its inputs'
    expect([await refusal(10n ** 8n, undefined, false), await refusal(10n ** 8n, -2, false)]).toEqual([reason, reason])
  })

  it('is refused below the fee that the node takes', async () => {
    expect(await refusal(1n, undefined, true)).toBe('min relay fee not met')
    expect(await refusal(10n ** 8n, undefined, true)).toBeUndefined()
  })
})
