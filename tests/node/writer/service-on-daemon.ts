import { formatAmount } from '../../../protocol/amount.ts'
import type { Blockchain } from '../../../protocol/chains.ts'
import { runStep } from '../../../worker/agent/run-step.ts'
import { type WalletRpc, walletRpc } from '../../../worker/chain/rpc/wallet-rpc.ts'
import { insertUploads } from '../../../worker/features/items/sql/move-items.ts'
import { openRequest } from '../../../worker/features/payments/open-request.ts'
import { noticeRestore } from '../../../worker/features/payouts/restore/notice-restore.ts'
import { consolidateCoins } from '../../../worker/features/transactions/sign/consolidate-coins.ts'
import { type Config, ConfigurationError, chainVariable, checkConfig } from '../../../worker/platform/config/config.ts'
import { MemoryD1 } from '../../kit/in-process/memory-d1.ts'
import { memoryNumbers } from '../../kit/in-process/memory-numbers.ts'
import { SimulatedBucket } from '../../simulation/simulated-bucket.ts'
import type { Daemon } from '../litecoind.ts'

/** The account of the customer. */
export const USER = 'ada'
const MAX_DATA_BYTES = 80

/** Asks a wallet of the daemon; amounts and heights in its answers are text. */
type CallWallet = (wallet: string, method: string, ...params: unknown[]) => Promise<unknown>

const blockchain: Blockchain = 'Bitcoin'
const customer = 'customer'
const own = 'service'

/** The service's own code on a real daemon with a wallet `service`, and a wallet `customer` that pays. */
export async function serviceOnDaemon(daemon: Pick<Daemon, 'url'>) {
  const checked = checkConfig({
    BASE_URL: 'https://api.example',
    STORAGE_HOST: 'storage.example',
    TOKEN_JWKS: JSON.stringify({ keys: [{ kty: 'oct', k: Buffer.alloc(32, 7).toString('base64url') }] }),
    [chainVariable('RPC', blockchain)]: daemon.url,
    WRITER_TX_CHAINS: '2',
    RPC_WALLET_BITCOIN: own,
  })
  if (checked instanceof ConfigurationError) throw checked
  const config: Config = checked
  const node = walletRpc(config.chains[blockchain])
  if (!node) throw new Error('no node')
  let estimate: string | undefined
  // A young chain has no estimate: where one is wanted, it is put in the place of that answer.
  const rpc: WalletRpc = async (calls, options) => {
    const outcomes = await node(calls, options)
    return outcomes.map((outcome, index) =>
      estimate !== undefined && calls[index]?.method === 'estimatesmartfee'
        ? { result: { feerate: estimate } }
        : outcome,
    )
  }
  const d1 = new MemoryD1()
  const db: D1Database = d1
  const bucket = new SimulatedBucket()

  /** What a wallet of the daemon answers; amounts and heights as text. */
  const call: CallWallet = async (wallet, method, ...params) => {
    const ask = named(wallet === '' ? undefined : wallet)
    const [outcome] = (await ask?.([{ method, params }])) ?? []
    if (!outcome || 'error' in outcome) throw new Error(`${method}: ${JSON.stringify(outcome)}`)
    return outcome.result
  }
  const named = (wallet: string | undefined) => walletRpc({ rpc: config.chains[blockchain].rpc, wallet })

  const mine = async (blocks: number) => {
    await call('', 'generatetoaddress', blocks, await call(customer, 'getnewaddress'))
  }

  /** What the storage of the agent has. */
  const stored = new Map<string, unknown>()
  const numbers = memoryNumbers(stored)

  /** Runs the agent until it waits for the next block. */
  const work = async () => {
    for (let step = 0; step < 50; step++) {
      const context = { blockchain, config, db, bucket, rpc, numbers, now: Date.now() }
      if ((await runStep(context)).next !== 'now') return
    }
  }

  /** Mines blocks one by one, with the agent at work after each. */
  const confirm = async (blocks: number) => {
    for (let block = 0; block < blocks; block++) {
      await mine(1)
      await work()
    }
  }

  /** What payment endpoints work with. */
  const context = () => {
    const ending = { db, bucket, now: Date.now() }
    return { ...ending, config, rpcOf: () => rpc, noticeRestore: () => noticeRestore(ending, blockchain, numbers) }
  }

  const statusOf = (id: string) => d1.rows('SELECT status FROM items WHERE id = ?', id)[0]?.status

  /** An item that is merged and not paid. */
  const mergeItem = async (id: string, length: number) => {
    const now = Date.now()
    const fields = { id, userId: USER, folderId: null, name: 'a.bin', mimetype: 'application/octet-stream' }
    const upload = {
      ...fields,
      blockchain,
      size: length,
      chunkSize: length,
      chunks: 1,
      createdAt: now,
    }
    await insertUploads(db, USER, [upload], config.quotas)
    await db
      .prepare('UPDATE items SET status = 402, stored_size = ?, transactions = ?, max_data_bytes = ? WHERE id = ?')
      .bind(length, Math.ceil(length / MAX_DATA_BYTES), MAX_DATA_BYTES, id)
      .run()
    bucket.objects.set(`stored/${id}`, crypto.getRandomValues(new Uint8Array(length)))
  }

  /** A request for an item that a customer is to pay for. */
  const openItem = async (id: string, length: number) => {
    await mergeItem(id, length)
    const opened = await openRequest(context(), { userId: USER, target: blockchain, ids: [id] })
    if (opened.state !== 'waiting') throw new Error('nothing to pay')
    return { address: opened.request.address, amount: formatAmount(opened.request.amount) }
  }

  /** An item that a customer has paid for, which is being written. */
  const paidItem = async (id: string, length: number) => {
    const { address, amount } = await openItem(id, length)
    await call(customer, 'sendtoaddress', address, amount)
    await mine(2)
    await work()
  }

  /** Makes one coin of all that the wallet has free, as an operator does; says of how many. */
  const gatherCoins = async () => {
    const context = { blockchain, config, db, bucket, rpc, now: Date.now() }
    const made = await consolidateCoins(context, { atOnce: true })
    await work()
    return made?.coins ?? 0
  }

  /** Has the daemon estimate a fee rate, in coins for 1,000 vbytes. */
  const setEstimate = (feeRate: string) => {
    estimate = feeRate
  }

  /** Keeps all rows of the money of the database, and returns what puts them back, as Time Travel does. */
  const keepRows = (): (() => void) => {
    const tables = [
      ...['addresses', 'blocks', 'chain_states', 'tx_chains', 'ledger', 'outputs', 'payout_numbers'],
      ...['progress', 'sends', 'failed_records', 'stops', 'transaction_inputs', 'transactions', 'wallet_scans'],
      'withdrawals',
    ]
    const kept = tables.map((table) => [table, d1.rows(`SELECT * FROM ${table}`)] as const)
    return () => {
      d1.rows('PRAGMA foreign_keys = off')
      for (const [table, rows] of kept) {
        d1.rows(`DELETE FROM ${table}`)
        for (const row of rows) {
          const names = Object.keys(row)
          const values = Object.values(row).map((value) =>
            typeof value === 'string' || typeof value === 'number' ? value : null,
          )
          d1.rows(`INSERT INTO ${table} (${names.join()}) VALUES (${names.map(() => '?').join()})`, ...values)
        }
      }
      d1.rows('PRAGMA foreign_keys = on')
    }
  }

  /** Keeps bucket and storage with these rows: all that a copy of the machine has but node and wallet. */
  const keepMachine = (): (() => void) => {
    const restoreRows = keepRows()
    const [objects, values] = [[...bucket.objects], [...stored]]
    return () => {
      restoreRows()
      bucket.objects.clear()
      stored.clear()
      for (const [key, object] of objects) bucket.objects.set(key, object)
      for (const [key, value] of values) stored.set(key, value)
    }
  }

  const untilStored = async (id: string) => {
    for (let block = 0; block < 16 && statusOf(id) !== 200; block++) await confirm(1)
    return statusOf(id)
  }

  for (const wallet of [own, customer]) {
    await call('', 'createwallet', wallet)
    await call('', 'generatetoaddress', 3, await call(wallet, 'getnewaddress'))
  }
  await mine(101)
  await db
    .prepare(
      `INSERT INTO users (id, email, password_hash, first_name, last_name, status, created_at)
       VALUES (?, 'ada@x.example', '', '', '', 1, 0)`,
    )
    .bind(USER)
    .run()
  return {
    call,
    mine,
    work,
    confirm,
    context,
    statusOf,
    mergeItem,
    openItem,
    paidItem,
    untilStored,
    gatherCoins,
    keepRows,
    keepMachine,
    numbers,
    stored,
    setEstimate,
    d1,
    db,
    config,
    bucket,
    rpc,
  }
}
