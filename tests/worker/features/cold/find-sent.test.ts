import { expect, it } from 'vitest'
import { toHex } from '../../../../protocol/bytes.ts'
import { encodeTransaction, transactionId } from '../../../../protocol/transaction.ts'
import type { WalletRpc } from '../../../../worker/chain/rpc/wallet-rpc.ts'
import { findSent } from '../../../../worker/features/cold/find-sent.ts'
import { contextOf } from '../../agent-contexts.ts'

const coin = { txid: 'c'.repeat(64), vout: 0 }
const bytes = encodeTransaction({
  ...{ version: 2, lockTime: 0 },
  inputs: [{ ...coin, script: new Uint8Array(0), sequence: 0, witness: [] }],
  outputs: [{ value: 6n, script: Uint8Array.of(0x51) }],
})
const withdrawalId = 'asked'
const handed = {
  ...{ withdrawalId, blockchain: 'Bitcoin' as const, txid: transactionId(bytes), psbt: '', fee: 1n, vsize: 100 },
  ...{ changeVout: 0, changeValue: 0n, changeScript: '', createdAt: 0, offered: true, signed: undefined },
}

/** What is found where the wallet has what was handed out, signed, with so many confirmations, and its coin is spent in a block. */
async function find(confirmations: number): Promise<{ sent: string | undefined; isOver: boolean } | undefined> {
  const known = { hex: toHex(bytes), confirmations: String(confirmations) }
  const rpc: WalletRpc = async (calls) =>
    calls.map(({ method }) => ({ result: method === 'gettransaction' ? known : null }))
  const [fate] = await findSent({ ...contextOf(), rpc }, [{ handed, spends: [{ ...coin, withdrawalId }] }])
  return fate && { isOver: fate.isOver, sent: fate.sent && toHex(fate.sent) }
}

it('a transaction that was handed out is sent once the wallet knows it, and over where a block has replaced it', async () => {
  const sent = { sent: toHex(bytes), isOver: false }
  expect([await find(0), await find(1)]).toEqual([sent, sent])
  expect(await find(-1)).toEqual({ sent: undefined, isOver: true })
})

it('without segwit the history is read for what spends a coin as soon as a mempool has that', async () => {
  const spends = [{ ...coin, withdrawalId, value: 6n, script: '' }]
  const psbt = JSON.stringify({ hex: '', since: 'block', spent: [] })
  const asked: string[] = []
  const rpc: WalletRpc = async (calls) =>
    calls.map(({ method, params }) => {
      asked.push(method)
      if (method === 'gettxout') return { result: params[2] === true ? null : { confirmations: 9 } }
      return { result: { transactions: [], removed: [], lastblock: 'tip' } }
    })
  const own = { ...handed, blockchain: 'Dogecoin' as const, psbt }
  await findSent({ ...contextOf('Dogecoin'), rpc }, [{ handed: own, spends }])
  expect(asked).toContain('listsinceblock')
})
