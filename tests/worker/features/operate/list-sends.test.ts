import { env } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { toHex } from '../../../../protocol/bytes.ts'
import { decodeTransaction, encodeTransaction, transactionId, unsignedId } from '../../../../protocol/transaction.ts'
import { putPayoutRecord } from '../../../../worker/features/wallet/payout-records.ts'
import { fetchApi } from '../../fetch-api.ts'
import { add, clear } from '../../rows.ts'
import { signIn } from '../../sign-in.ts'
import { readAnswer } from '../payments/pay-for-items.ts'

beforeEach(() => clear('sends'))
afterEach(() => void vi.restoreAllMocks())

/** A payout of Dogecoin that was handed out to be signed, and left the wallet; its txid. */
async function sentPayout(id: string, hexes: Map<string, string>): Promise<string> {
  const bytes = encodeTransaction({
    ...{ version: 1, lockTime: 0 },
    inputs: [{ txid: 'c'.repeat(64), vout: 0, script: Uint8Array.of(1, 2), sequence: 0, witness: [] }],
    outputs: [{ value: BigInt(id.charCodeAt(0)), script: Uint8Array.of(0x51) }],
  })
  const fields = { id, account: 'ada', amount: 600n, fee: 1n, feeRate: 1n, address: 'payee', script: '51' }
  const coin = { txid: 'c'.repeat(64), vout: 0, value: 9n, script: '51' }
  const lane = { script: '51', vsize: 100, fee: 1n, changeVout: 0, changeValue: 2n }
  const record = { ...fields, coin, cold: true, unsigned: undefined, lane }
  await putPayoutRecord(env.BUCKET, 'Dogecoin', unsignedId(decodeTransaction(bytes)), record)
  const txid = transactionId(bytes)
  await add('sends', { blockchain: 'Dogecoin', txid, amount: '600', seen_at: 0 })
  hexes.set(txid, toHex(bytes))
  return txid
}

/** GET /v0/operate/send, where the node knows these transactions; without any it is down. How often it was asked, too. */
async function listSends(hexes: ReadonlyMap<string, string>) {
  const { token } = await signIn('admin')
  let asked = 0
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    asked++
    if (hexes.size === 0) throw new TypeError('down')
    const body = await new Request(input, init).json<{ id: number; params: string[] }[]>()
    const answer = ({ id, params: [txid = ''] }: { id: number; params: string[] }) => ({
      ...{ id, error: null, result: { hex: hexes.get(txid), confirmations: 1 } },
    })
    return Response.json([body].flat().map(answer))
  })
  const { sends } = await readAnswer(await fetchApi('GET', '/v0/operate/send', { token }))
  return { sends, asked }
}

describe('what left a wallet that knows no PSBTs', () => {
  it('is listed with the record of the payout that was handed out, which is stored by its id without signatures', async () => {
    const hexes = new Map<string, string>()
    const txid = await sentPayout('w', hexes)
    expect((await listSends(hexes)).sends).toMatchObject([
      { txid, record: { id: 'w', account: 'ada', amount: 0.000006 } },
    ])
  })

  it('is listed without it while the node does not answer, which is asked once', async () => {
    for (const id of ['v', 'w']) await sentPayout(id, new Map())
    const { sends, asked } = await listSends(new Map())
    expect(sends).toMatchObject([{ record: null }, { record: null }])
    expect(asked).toBe(1)
  })
})
