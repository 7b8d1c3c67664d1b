import { describe, expect, it } from 'vitest'
import { toHex } from '../../../../protocol/bytes.ts'
import type { Blockchain } from '../../../../protocol/chains.ts'
import { encodeTransaction, transactionId } from '../../../../protocol/transaction.ts'
import type { RpcCall, RpcOutcome } from '../../../../worker/chain/rpc/rpc-transport.ts'
import { isPending, sendLostSources } from '../../../../worker/features/transactions/sign/send-lost-sources.ts'

const OUTSIDE = 'ab'.repeat(32)

/** Transactions of which each spends the one before it, the first one something of nobody here. */
function chainOf(length: number): { txid: string; bytes: Uint8Array }[] {
  const chain: { txid: string; bytes: Uint8Array }[] = []
  for (let at = 0; at < length; at++) {
    const bytes = encodeTransaction({
      version: 1,
      inputs: [
        { txid: chain.at(-1)?.txid ?? OUTSIDE, vout: 0, script: new Uint8Array(0), sequence: 0xffff_fffd, witness: [] },
      ],
      outputs: [{ value: 1_000_000n - BigInt(at), script: Uint8Array.of(0x51) }],
      lockTime: 0,
    })
    chain.push({ txid: transactionId(bytes), bytes })
  }
  return chain
}

/** What is sent for the last of a chain of which the mempool has these. */
async function sentFor(
  length: number,
  waiting: readonly number[] = [],
  blockchain: Blockchain = 'Bitcoin',
  refusals: readonly (string | undefined)[] = [],
) {
  const chain = chainOf(length)
  const sent: (readonly unknown[])[] = []
  const missing: RpcOutcome = { error: { code: -5, message: 'not found' } }
  const answer = ({ method, params }: RpcCall): RpcOutcome => {
    const at = chain.findIndex(({ txid }) => txid === params[0])
    if (method === 'getmempoolentry') return waiting.includes(at) ? { result: {} } : missing
    if (method === 'sendrawtransaction') sent.push(params)
    const refused = method === 'sendrawtransaction' ? refusals[sent.length - 1] : undefined
    if (refused !== undefined) return { error: { code: -26, message: refused } }
    const known = chain[at]
    return known ? { result: { hex: toHex(known.bytes), confirmations: '0', details: [] } } : missing
  }
  const last = chain.at(-1)
  if (!last) throw new Error('an empty chain')
  const lost = [
    { bytes: last.bytes, blockHash: undefined, confirmations: 0, abandoned: false, seenAt: undefined, conflicts: [] },
  ].filter(isPending)
  const said = await sendLostSources(async (calls) => calls.map(answer), blockchain, lost)
  return { sent, said, hexes: chain.map(({ bytes }) => toHex(bytes)) }
}

describe('a coin of the wallet that a reorganisation took away', () => {
  it('is sent again behind all that it stands on and that is lost, too, whatever fee rates they have', async () => {
    const { sent, hexes } = await sentFor(3)
    expect(sent).toEqual(hexes.map((hex) => [hex, 0]))
    const old = await sentFor(2, [], 'Dogecoin')
    expect(old.sent).toEqual(old.hexes.map((hex) => [hex, true]))
  })

  it('is sent alone where what it stands on waits', async () => {
    const { sent, hexes } = await sentFor(3, [1])
    expect(sent.map(([hex]) => hex)).toEqual(hexes.slice(2))
  })

  it('is sent behind a hundred at most', async () => {
    const { sent, hexes } = await sentFor(120)
    expect(sent.map(([hex]) => hex)).toEqual(hexes.slice(20))
  })

  it.each([
    ['its inputs are not there', 'bad-txns-inputs-missingorspent', true],
    ['the mempool has another', 'txn-mempool-conflict', true],
    ['it breaks a rule', 'bad-txns-nonfinal', true],
    ['the mempool is full', 'mempool full', false],
  ])('is told to be gone by what the node says: %s', async (_, message, gone) => {
    expect((await sentFor(2, [], 'Bitcoin', [undefined, message])).said).toBe(gone ? message : undefined)
    expect((await sentFor(2, [], 'Bitcoin', [message, undefined])).said).toBeUndefined()
  })
})
