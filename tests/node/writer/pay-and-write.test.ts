import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formatAmount } from '../../../protocol/amount.ts'
import { concatBytes, fromHex, toHex } from '../../../protocol/bytes.ts'
import { opReturnData } from '../../../protocol/op-return.ts'
import { decodeTransaction } from '../../../protocol/transaction.ts'
import { runStep } from '../../../worker/agent/run-step.ts'
import type { RpcCall, RpcOutcome } from '../../../worker/chain/rpc/rpc-transport.ts'
import { type WalletRpc, walletRpc } from '../../../worker/chain/rpc/wallet-rpc.ts'
import { insertUploads } from '../../../worker/features/items/sql/move-items.ts'
import { createAddress } from '../../../worker/features/payments/create-address.ts'
import { openRequest } from '../../../worker/features/payments/open-request.ts'
import { selectBalances } from '../../../worker/features/payments/sql/ledger.ts'
import { type Config, ConfigurationError, checkConfig } from '../../../worker/platform/config/config.ts'
import { MemoryD1 } from '../../kit/in-process/memory-d1.ts'
import { memoryNumbers } from '../../kit/in-process/memory-numbers.ts'
import { MemoryR2 } from '../../kit/in-process/memory-r2.ts'
import { type Daemon, startLitecoind } from '../litecoind.ts'

const USER = 'ada'
const MAX_DATA_BYTES = 80

let daemon: Daemon
let config: Config
let rpc: WalletRpc
const d1 = new MemoryD1()
const r2 = new MemoryR2()
const db: D1Database = d1
const refused: string[] = []

/** What a wallet of the daemon answers; amounts and heights as text. */
async function call(wallet: string, method: string, ...params: unknown[]): Promise<unknown> {
  const ask = walletRpc({ ...config.chains.Bitcoin, wallet })
  const [outcome] = (await ask?.([{ method, params }])) ?? []
  if (!outcome || 'error' in outcome) throw new Error(`${method}: ${JSON.stringify(outcome)}`)
  return outcome.result
}

beforeAll(async () => {
  daemon = await startLitecoind()
  const checked = checkConfig({
    BASE_URL: 'https://api.example',
    STORAGE_HOST: 'storage.example',
    TOKEN_JWKS: JSON.stringify({ keys: [{ kty: 'oct', k: Buffer.alloc(32, 7).toString('base64url') }] }),
    RPC_BITCOIN: daemon.url,
    RPC_WALLET_BITCOIN: 'service',
    WRITER_TX_CHAINS: '2',
  })
  if (checked instanceof ConfigurationError) throw checked
  config = checked
  const own = walletRpc(config.chains.Bitcoin)
  if (!own) throw new Error('no node')
  rpc = async (calls: readonly RpcCall[]): Promise<RpcOutcome[]> => {
    const outcomes = await own(calls)
    calls.forEach(({ method }, index) => {
      const outcome = outcomes[index]
      if (method === 'sendrawtransaction' && outcome && 'error' in outcome) refused.push(outcome.error.message)
    })
    return outcomes
  }
  for (const wallet of ['service', 'customer']) {
    await call('', 'createwallet', wallet)
    await call(wallet, 'generatetoaddress', 2, await call(wallet, 'getnewaddress'))
  }
  await mine(101)
})

afterAll(() => daemon?.stop())

async function mine(blocks: number): Promise<void> {
  await call('', 'generatetoaddress', blocks, await call('', 'getnewaddress'))
}

/** No restore is noticed here. */
const numbers = memoryNumbers()

/** Runs the agent until it waits for the next block. */
async function work(): Promise<void> {
  for (let step = 0; step < 50; step++) {
    const context = { blockchain: 'Bitcoin' as const, config, db, bucket: r2, rpc, numbers, now: Date.now() }
    if ((await runStep(context)).next !== 'now') return
  }
}

/** An item in `402 Payment Required`, as a merge leaves it. */
async function storeItem(id: string, content: Uint8Array): Promise<void> {
  const now = Date.now()
  const { length } = content
  const fields = { id, userId: USER, folderId: null, name: 'a.bin', mimetype: 'application/octet-stream' }
  await insertUploads(
    db,
    USER,
    [
      {
        ...fields,
        blockchain: 'Bitcoin',
        size: length,
        chunkSize: length,
        chunks: 1,
        createdAt: now,
      },
    ],
    config.quotas,
  )
  const transactions = Math.ceil(length / MAX_DATA_BYTES)
  await db
    .prepare('UPDATE items SET status = 402, stored_size = ?, transactions = ?, max_data_bytes = ? WHERE id = ?')
    .bind(length, transactions, MAX_DATA_BYTES, id)
    .run()
  r2.objects.set(`stored/${id}`, content)
}

const statusOf = (id: string) => d1.rows('SELECT status FROM items WHERE id = ?', id)[0]?.status

async function contentOnChain(txids: readonly string[]): Promise<string> {
  const parts: Uint8Array[] = []
  for (const txid of txids) {
    const known = Object(await call('service', 'gettransaction', txid))
    expect(Number(known.confirmations)).toBeGreaterThanOrEqual(2)
    const { outputs } = decodeTransaction(fromHex(String(known.hex)) ?? new Uint8Array(0))
    parts.push(...(opReturnData(outputs.map(({ script }) => script)) ?? []))
  }
  return toHex(concatBytes(parts))
}

const context = () => ({ db, config, rpcOf: () => rpc, now: Date.now() })

describe('with a real daemon', () => {
  it('an item is paid, written over two tx chains, thrown back by a reorganisation, and stored in the end', async () => {
    const id = 'a'.repeat(24)
    const content = Uint8Array.from({ length: 5000 }, (_, index) => (index * 31 + (index >> 8)) & 255)
    await storeItem(id, content)
    const opened = await openRequest(context(), { userId: USER, target: 'Bitcoin', ids: [id] })
    if (opened.state !== 'waiting') throw new Error('nothing to pay')
    const { address, amount } = opened.request
    await call('customer', 'sendtoaddress', address, formatAmount(amount))
    await work()
    expect(statusOf(id)).toBe(402)
    await mine(2)
    await work()
    expect(statusOf(id)).toBe(202)
    await mine(1)
    await work()

    // Both the first transactions and the payment go back to the mempool, and are mined again.
    const height = Number(await call('', 'getblockcount'))
    await call('', 'invalidateblock', await call('', 'getblockhash', height - 2))
    await mine(4)
    for (let block = 0; block < 12 && statusOf(id) !== 200; block++) {
      await work()
      await mine(1)
    }
    await work()
    expect(statusOf(id)).toBe(200)
    const [row] = d1.rows('SELECT txids FROM item_txids WHERE item_id = ?', id)
    const txids = String(row?.txids).match(/.{64}/g) ?? []
    expect(txids).toHaveLength(63)
    expect(await contentOnChain(txids)).toBe(toHex(content))
    expect(refused).toEqual([])
  })

  it('a deposit is credited once, and cannot be spent while a reorganisation has removed it', async () => {
    const { address } = await createAddress(context(), USER, 'Bitcoin')
    const before = (await selectBalances(db, USER)).Bitcoin
    await call('customer', 'sendtoaddress', address, '0.5')
    await mine(1)
    const holder = await call('', 'getbestblockhash')
    await mine(1)
    await work()
    await work()
    expect((await selectBalances(db, USER)).Bitcoin - before).toBe(50_000_000n)

    await call('', 'invalidateblock', holder)
    await call('', 'generateblock', await call('', 'getnewaddress'), [])
    await call('', 'generateblock', await call('', 'getnewaddress'), [])
    await call('', 'generateblock', await call('', 'getnewaddress'), [])
    await work()
    expect((await selectBalances(db, USER)).Bitcoin - before).toBe(0n)
    await mine(2)
    await work()
    expect((await selectBalances(db, USER)).Bitcoin - before).toBe(50_000_000n)
  })
})
