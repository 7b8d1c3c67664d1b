import { uploadItem } from '../../tests/kit/upload-item.ts'
import type { Bench } from '../bench.ts'
import { payForItem } from '../pay-for-item.ts'
import { plainRow, type Row } from '../row.ts'
import { randomBytes } from '../sample-bytes.ts'
import { CREDENTIALS, signIn } from '../sign-in.ts'
import { type Product, startProduct } from '../start-product.ts'
import { percentile } from '../statistics.ts'
import { FRONT_VARIABLES, sendEvenly, sendThroughFront, strangerAddress } from '../strangers.ts'

const GROUP = 'While strangers fill what is kept'
const SECONDS = 600
const REQUESTS_A_SECOND = 200
const STRANGERS = 20
const ITEM_BYTES = 20_000
/** Items of a stranger's list, of which the newest are uploaded. */
const ITEMS_AT_ONCE = 10
const CRON_MS = 60_000
/** Between two rounds of the customer, in milliseconds. */
const PAUSE_MS = 2_000
const TARGET_MS = 5_000
const CUSTOMER = '192.0.2.1'

/** What all may hold here, so that ten minutes fill it, and what a stranger may. */
const BUDGETS = { unpaidItems: 5_000, unpaidBytes: 50_000_000, pendingAccounts: 500, sessions: 5_000 }
const VARIABLES = {
  ...FRONT_VARIABLES,
  BUDGET_UNPAID_ITEMS: String(BUDGETS.unpaidItems),
  BUDGET_UNPAID_BYTES: String(BUDGETS.unpaidBytes),
  BUDGET_PENDING_ACCOUNTS: String(BUDGETS.pendingAccounts),
  BUDGET_SESSIONS: String(BUDGETS.sessions),
  QUOTA_FIRST_ITEMS: '2000',
  QUOTA_FIRST_BYTES: '100000000',
}
/** Rows that come between two runs of the clock, and that a run of it deletes next time. */
const PENDING_SPARE = 2_000

/**
 * Sign-ups, items, uploads and reports of strangers, each from another /64, beside a customer who logs in, uploads and pays;
 * and what of the budgets of all accounts is taken at the end.
 */
export async function measureHostileFilling(bench: Bench, seconds = SECONDS): Promise<Row[]> {
  const product = await startProduct({ ...bench, variables: VARIABLES })
  const cron = setInterval(() => void runCron(product), CRON_MS)
  try {
    const { accessToken } = await signIn(product)
    const reported = await upload(product, accessToken, -1)
    await payForItem(bench.devnet, product, accessToken, 'Nativecoin', reported)
    const strangers: string[] = []
    for (let index = 0; index < STRANGERS; index++) {
      strangers.push((await signIn(product, `stranger${index}`)).accessToken)
    }
    bench.progress(`hostile/filling: ${seconds} s of ${REQUESTS_A_SECOND} requests a second`)
    const until = Date.now() + seconds * 1000
    const [sent, acts] = await Promise.all([
      sendEvenly(REQUESTS_A_SECOND, until, fill(product, strangers, reported)),
      actUntil(bench, product, until),
    ])
    clearInterval(cron)
    await runCron(product)
    const note = `${acts.times.length} acts${acts.failed.length > 0 ? `; failed: ${acts.failed.join(', ')}` : ''}`
    return [
      plainRow(
        {
          ...{ id: 'hostile/filling', group: GROUP, unit: 'ms', better: 'lower', target: TARGET_MS },
          what: `a login, upload or payment of a customer, 99 %, beside ${REQUESTS_A_SECOND} requests a second`,
          note: `${note}; strangers: ${sent.sent}: ${sent.statuses}`,
        },
        [acts.failed.length > 0 ? Number.MAX_SAFE_INTEGER : percentile(acts.times, 0.99)],
      ),
      await budgetRow(product),
    ]
  } finally {
    clearInterval(cron)
    await product.close()
  }
}

async function runCron({ miniflare }: Product): Promise<void> {
  const worker = await miniflare.getWorker()
  await worker.scheduled({ cron: '* * * * *' }).catch(() => {})
}

/** One request of a stranger: each kind in turn. */
function fill(product: Product, tokens: readonly string[], reported: string): (index: number) => Promise<number> {
  const items: { id: string; token: string }[] = []
  return async (index) => {
    const token = tokens[(index >> 2) % tokens.length] ?? ''
    const headers = { Authorization: `Bearer ${token}` }
    const address = strangerAddress()
    const post = async (path: string, body: unknown, more: Record<string, string> = {}) =>
      await sendThroughFront(product, address, { method: 'POST', path, body: JSON.stringify(body), headers: more })
    switch (index % 4) {
      case 0: {
        const names = { firstName: 'No', lastName: 'Body' }
        return (await post('/user', { email: `nobody${index}@example.org`, password: 'Correct1horse', ...names }))
          .status
      }
      case 1: {
        const file = { name: 'a.bin', mimetype: 'text/plain', blockchain: 'IPFS', size: ITEM_BYTES }
        const { status, body } = await post('/item', { items: Array(ITEMS_AT_ONCE).fill(file) }, headers)
        if (status !== 201) return status
        const made: { items: { id: string }[] } = JSON.parse(body)
        items.push(...made.items.map(({ id }) => ({ id, token })))
        return status
      }
      case 2: {
        const item = items.pop()
        if (!item) return 0
        const body = Uint8Array.from(randomBytes(ITEM_BYTES, `filling ${index}`))
        const sent = {
          method: 'PUT',
          path: `/item/${item.id}/chunk/0`,
          body,
          headers: { Authorization: `Bearer ${item.token}` },
        }
        return (await sendThroughFront(product, address, sent)).status
      }
      default:
        return (await post('/report', reportOf(index, reported))).status
    }
  }
}

/** A report of what is here, or of what is nowhere. */
function reportOf(index: number, itemId: string) {
  const reason = 'It is not mine.'
  if (index % 8 < 4) return { kind: 'item', value: itemId, reason }
  return { kind: 'txid', value: index.toString(16).padStart(64, '0'), blockchain: 'Nativecoin', reason }
}

/** Acts of the customer: how long those took that succeeded, in milliseconds, and what failed. */
async function actUntil(bench: Bench, product: Product, until: number): Promise<{ times: number[]; failed: string[] }> {
  const times: number[] = []
  const failed: string[] = []
  const act = async <T>(what: string, run: () => Promise<T>): Promise<T | undefined> => {
    const begun = performance.now()
    try {
      const outcome = await run()
      times.push(performance.now() - begun)
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
        await act('payment', () => payForItem(bench.devnet, product, tokens.accessToken, 'Nativecoin', id))
      }
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  return { times, failed }
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
  const fields = { name: 'mine', mimetype: 'application/octet-stream', blockchain: 'Nativecoin' }
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
