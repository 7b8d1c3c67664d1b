import { FAUCET } from '../../devnet/premine.ts'
import { uploadItem } from '../../tests/kit/upload-item.ts'
import { FIXED_BUDGETS } from '../../worker/platform/config/fixed-limits.ts'
import type { Bench } from '../bench.ts'
import { type ChainsThread, startChainsThread } from '../load/chains-thread.ts'
import { fillInThread, ITEM_BYTES } from '../load/filling-thread.ts'
import { readPaidItem, requestPayment } from '../pay-for-item.ts'
import { plainRow, type Row } from '../row.ts'
import { randomBytes } from '../sample-bytes.ts'
import { CREDENTIALS, signIn } from '../sign-in.ts'
import { type Product, startProduct } from '../start-product.ts'
import { percentile } from '../statistics.ts'
import { FRONT_VARIABLES, sendThroughFront } from '../strangers.ts'

const GROUP = 'While strangers fill what is kept'
const SECONDS = 600
const REQUESTS_A_SECOND = 200
const STRANGERS = 20
const CRON_MS = 60_000
/** Between two rounds of the customer, in milliseconds. */
const PAUSE_MS = 2_000
const TARGET_MS = 5_000
const CUSTOMER = '192.0.2.1'
const CHAIN = 'Nativecoin'
/** After the last payment, in milliseconds. */
const STORED_WITHIN_MS = 60_000

/** The budgets of all accounts; that of bytes is small enough to be full within ten minutes. */
const BUDGETS = { ...FIXED_BUDGETS, unpaidBytes: 50_000_000 }
const VARIABLES = {
  ...FRONT_VARIABLES,
  BUDGET_UNPAID_BYTES: String(BUDGETS.unpaidBytes),
  QUOTA_FIRST_ITEMS: '2000',
  QUOTA_FIRST_BYTES: '100000000',
}
/** Rows that are added between two runs of the cron job, and that the next run deletes. */
const PENDING_SPARE = 2_000

/**
 * Attackers send sign-ups, items, uploads and reports, each from another /64, while a customer logs in, uploads and
 * pays. Also reports how much of the shared budgets is used at the end.
 */
export async function measureHostileFilling(bench: Bench, seconds = SECONDS): Promise<Row[]> {
  const devnet = await startChainsThread()
  const product = await startProduct({ ...bench, devnet, variables: VARIABLES })
  const runCron = await prepareCron(product)
  const cron = setInterval(() => void runCron(), CRON_MS)
  try {
    const { accessToken } = await signIn(product)
    const reported = await upload(product, accessToken, -1)
    await pay(devnet, product, accessToken, reported)
    const strangers: string[] = []
    for (let index = 0; index < STRANGERS; index++) {
      strangers.push((await signIn(product, `stranger${index}`)).accessToken)
    }
    bench.progress(`hostile/filling: ${seconds} s of ${REQUESTS_A_SECOND} requests a second`)
    const until = Date.now() + seconds * 1000
    const [sent, acts] = await Promise.all([
      fillInThread({ port: product.port, perSecond: REQUESTS_A_SECOND, until, tokens: strangers, reported }),
      actUntil(devnet, product, until),
    ])
    clearInterval(cron)
    await runCron()
    acts.failed.push(...(await findUnstored(product, [reported, ...acts.paid])))
    const times = Object.values(acts.times).flat()
    const kinds = Object.entries(acts.times).map(
      ([kind, all]) => `${kind} ${inSeconds(percentile(all, 0.5))}, slowest ${inSeconds(Math.max(...all))} s`,
    )
    const note = `${times.length} acts (medians: ${kinds.join('; ')})${acts.failed.length > 0 ? `; failed: ${acts.failed.join(', ')}` : ''}`
    return [
      plainRow(
        {
          ...{ id: 'hostile/filling', group: GROUP, unit: 'ms', better: 'lower', target: TARGET_MS },
          what: `a login, upload or payment of a customer, 99 %, beside ${REQUESTS_A_SECOND} requests a second`,
          note: `${note}; strangers: ${sent.sent}: ${sent.statuses}`,
        },
        [acts.failed.length > 0 ? Number.MAX_SAFE_INTEGER : percentile(times, 0.99)],
      ),
      await budgetRow(product),
    ]
  } finally {
    clearInterval(cron)
    await product.close()
    await devnet.close()
  }
}

function inSeconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(1)
}

/**
 * Runs the cron job once, and returns a function that runs it again. The first call of a method through Miniflare
 * blocks this thread, and under load workerd would then wait for this thread to read its log.
 */
async function prepareCron({ miniflare }: Product): Promise<() => Promise<void>> {
  const worker = await miniflare.getWorker()
  const run = async () => void (await worker.scheduled({ cron: '* * * * *' }).catch(() => {}))
  await run()
  return run
}

type Act = 'login' | 'upload' | 'payment'

/** The customer's actions: milliseconds of the successful ones, the failures, and the paid items. */
interface Acts {
  times: Record<Act, number[]>
  failed: string[]
  paid: string[]
}

async function actUntil(devnet: ChainsThread, product: Product, until: number): Promise<Acts> {
  const paid: string[] = []
  const times: Acts['times'] = { login: [], upload: [], payment: [] }
  const failed: string[] = []
  const act = async <T>(what: Act, run: () => Promise<T>): Promise<T | undefined> => {
    const begun = performance.now()
    try {
      const outcome = await run()
      times[what].push(performance.now() - begun)
      return outcome
    } catch (error) {
      failed.push(`${what}: ${error instanceof Error ? error.message : String(error)}`)
      return undefined
    }
  }
  let device = ''
  for (let round = 0; Date.now() < until; round++) {
    const tokens = await act('login', () => logIn(product, device))
    if (tokens) {
      device = tokens.refreshToken
      const id = await act('upload', () => upload(product, tokens.accessToken, round))
      if (id !== undefined) {
        await act('payment', () => pay(devnet, product, tokens.accessToken, id))
        paid.push(id)
      }
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  return { times, failed, paid }
}

/** Requests the payment of an item, and pays it. */
async function pay(devnet: ChainsThread, product: Product, token: string, id: string): Promise<void> {
  const { address, amount } = await requestPayment(product, token, CHAIN, id)
  const response = await fetch(`http://127.0.0.1:${devnet.port}/${CHAIN}/wallet/${FAUCET}`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa('devnet:devnet')}` },
    body: JSON.stringify({ id: 1, method: 'sendtoaddress', params: [address, amount] }),
  })
  if (!response.ok) throw new Error(`sendtoaddress: ${await response.text()}`)
}

/** Those of the paid items that are not stored a while after the attack. */
async function findUnstored(product: Product, ids: readonly string[]): Promise<string[]> {
  const { accessToken } = await logIn(product, '')
  const until = Date.now() + STORED_WITHIN_MS
  const waiting = new Set(ids)
  while (waiting.size > 0 && Date.now() < until) {
    for (const id of waiting) {
      if ((await readPaidItem(product, accessToken, id)).status.startsWith('200')) waiting.delete(id)
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  return [...waiting].map((id) => `${id} was paid and is not stored`)
}

async function logIn(product: Product, device: string): Promise<{ accessToken: string; refreshToken: string }> {
  const headers: Record<string, string> = device === '' ? {} : { 'Hookline-Device': device }
  const { status, body } = await sendThroughFront(product, CUSTOMER, {
    ...{ method: 'POST', path: '/token', body: CREDENTIALS, headers },
  })
  if (status !== 200) throw new Error(`${status} ${body}`)
  const tokens: { accessToken: string; refreshToken: string } = JSON.parse(body)
  return tokens
}

/** Uploads and merges an item; its id. */
async function upload(product: Product, accessToken: string, round: number): Promise<string> {
  const headers = { Authorization: `Bearer ${accessToken}` }
  const send = async (method: string, path: string, body?: Uint8Array<ArrayBuffer> | string) => {
    const request = { method, path, headers, ...(body === undefined ? {} : { body }) }
    const answer = await sendThroughFront(product, CUSTOMER, request)
    return { status: answer.status, text: async () => answer.body }
  }
  const fields = { name: 'mine', mimetype: 'application/octet-stream', blockchain: CHAIN }
  const id = await uploadItem(send, fields, Uint8Array.from(randomBytes(ITEM_BYTES, `customer ${round}`)))
  for (;;) {
    const { status, text } = await send('POST', `/item/${id}/merge`)
    if (status === 200) return id
    if (status !== 202) throw new Error(`merge: ${status} ${await text()}`)
  }
}

async function budgetRow({ miniflare }: Product): Promise<Row> {
  const db = await miniflare.getD1Database('DB')
  const held = await db
    .prepare(
      `SELECT (SELECT COUNT(*) FROM items WHERE status IN (201, 402) AND removed_at IS NULL) AS items,
         (SELECT SUM(size) FROM items WHERE status IN (201, 402) AND removed_at IS NULL) AS bytes,
         (SELECT COUNT(*) FROM items WHERE removed_at IS NOT NULL) AS removed,
         (SELECT COUNT(*) FROM users WHERE status = 2) AS pending, (SELECT COUNT(*) FROM sessions) AS sessions,
         (SELECT COUNT(*) FROM reports) AS reports`,
    )
    .all<Record<'items' | 'bytes' | 'removed' | 'pending' | 'sessions' | 'reports', number>>()
  const [row] = held.results
  if (!row) throw new Error('the database says nothing')
  const shares = [
    row.items / BUDGETS.unpaidItems,
    row.bytes / BUDGETS.unpaidBytes,
    row.pending / (BUDGETS.pendingAccounts + PENDING_SPARE),
    row.sessions / BUDGETS.sessions,
  ]
  const told = Object.entries(row).map(([name, value]) => `${name} ${value}`)
  return plainRow(
    {
      ...{ id: 'hostile/filling-budgets', group: GROUP, unit: '%', better: 'lower', target: 100 },
      what: 'of the budget of all accounts that is taken most',
      note: `${told.join(', ')}; ${(held.meta.size_after / 1e6).toFixed(1)} MB of D1`,
    },
    [100 * Math.max(...shares)],
  )
}
