import { PAGE_ROWS } from '../../../contract/limits.ts'
import type { PaymentKind } from '../../../contract/states.ts'
import { formatFixedAmount } from '../../../protocol/amount.ts'
import { BLOCKCHAINS, type Blockchain } from '../../../protocol/chains.ts'
import { selectTip } from '../../chain/follower/blocks.ts'
import type { Config } from '../../platform/config/config.ts'
import { cutPage, isAnyId, type PageKey, pageCursor, parsePageKey } from '../../platform/d1/page-key.ts'
import { listJson } from '../../platform/http/coins-json.ts'
import { type CsvCell, writeCsv } from '../../platform/http/csv.ts'
import { isAlive, sumOutputs } from './decide-request.ts'
import { paymentParts } from './payment-parts.ts'
import { creditedOf, depositState, depositView, requestView, type SeenPayment } from './payment-view.ts'
import { selectOutputsByAddress } from './sql/outputs.ts'
import {
  type Deposit,
  type RequestSummary,
  selectDeposits,
  selectOwnRequests,
  selectRequestSummaries,
} from './sql/payment-list.ts'
import type { PaymentRequest } from './sql/payment-requests.ts'

/** Pages in one table. Each needs some ten statements, of which D1 allows 1,000 per invocation. */
const TABLE_PAGES = 20

/** A request or a deposit, with what was seen at its address. */
type ListedPayment =
  | {
      kind: 'request'
      request: PaymentRequest & { address: string }
      seen: SeenPayment & { summary: RequestSummary }
    }
  | { kind: 'deposit'; deposit: Deposit; seen: SeenPayment }

/** Which payments of a user: those of one kind, or of both. */
interface ListQuery {
  userId: string
  kind?: PaymentKind | undefined
  cursor?: string | undefined
}

interface Page {
  payments: ListedPayment[]
  cursor: string | undefined
}

/** A page of the caller's requests and deposits, newest first, as JSON text. @throws {AppError} 400 for the cursor. */
export async function paymentPage(
  db: D1Database,
  config: Pick<Config, 'chains'>,
  { userId, kind, cursor }: ListQuery,
): Promise<string> {
  const page = await readPage(db, config, { userId, kind, after: parsePageKey(cursor, isAnyId) })
  const views = page.payments.map((entry) =>
    entry.kind === 'request' ? requestView(entry.request, entry.seen) : depositView(entry.deposit, entry.seen),
  )
  return listJson('payments', views, page.cursor)
}

const COLUMNS = ['created', 'kind', 'state', 'target', 'paid in', 'address', 'amount', 'network fee', 'storage fee']
const REST = ['dust fee', 'received', 'credited', 'items', 'names', 'settled', 'transactions']

/**
 * The same as a table, as far as one answer goes; `cursor` where there is more. Amounts in coins, times as ISO 8601.
 * @throws {AppError} 400
 */
export async function paymentTable(
  db: D1Database,
  config: Pick<Config, 'chains'>,
  { userId, kind, cursor }: ListQuery,
): Promise<{ text: string; cursor: string | undefined }> {
  const rows: CsvCell[][] = []
  let next = cursor
  for (let pages = 0; pages < TABLE_PAGES; pages++) {
    const page = await readPage(db, config, { userId, kind, after: parsePageKey(next, isAnyId) })
    rows.push(...page.payments.map(rowOf))
    next = page.cursor
    if (next === undefined) break
  }
  return { text: writeCsv([...COLUMNS, ...REST], rows), cursor: next }
}

function rowOf(entry: ListedPayment): CsvCell[] {
  const { seen } = entry
  const received = coins(sumOutputs(seen.outputs.filter(isAlive)))
  const txids = [...new Set(seen.outputs.map(({ txid }) => txid))].join(' ')
  if (entry.kind === 'deposit') {
    const { address, blockchain, createdAt } = entry.deposit
    const credited = coins(sumOutputs(seen.outputs.filter((output) => output.credited)))
    const state = depositState(seen)
    return [
      iso(createdAt),
      'deposit',
      state,
      blockchain,
      blockchain,
      address,
      null,
      null,
      null,
      null,
      received,
      credited,
      null,
      null,
      null,
      txids,
    ]
  }
  const { request } = entry
  const { networkFee, storageFee, dustFee } = paymentParts(request)
  const { names, settledAt, paid = request.amount } = entry.seen.summary
  return [
    ...[iso(request.createdAt), 'request', request.state, request.target, request.blockchain, request.address],
    ...[coins(request.amount), coins(networkFee), coins(storageFee), coins(dustFee), received],
    ...[
      coins(creditedOf({ state: request.state, amount: paid }, seen)),
      { plain: request.itemIds.length },
      names.join(', '),
    ],
    ...[settledAt === undefined ? null : iso(settledAt), txids],
  ]
}

const iso = (ms: number): CsvCell => ({ plain: new Date(ms).toISOString() })
const coins = (units: bigint | undefined): CsvCell => (units === undefined ? null : { plain: formatFixedAmount(units) })

async function readPage(
  db: D1Database,
  config: Pick<Config, 'chains'>,
  { userId, kind, after }: Omit<ListQuery, 'cursor'> & { after: PageKey | undefined },
): Promise<Page> {
  const query = { userId, after, limit: PAGE_ROWS + 1 }
  const [requests, deposits] = await Promise.all([
    kind === 'deposit' ? [] : selectOwnRequests(db, query),
    kind === 'request' ? [] : selectDeposits(db, query),
  ])
  const keys = [
    ...requests.map((request) => ({ createdAt: request.createdAt, id: request.id, request })),
    ...deposits.map((deposit) => ({ createdAt: deposit.createdAt, id: deposit.address, deposit })),
  ].sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
  const { shown, cursor } = cutPage(keys, pageCursor)
  const seenAt = await readSeen(
    db,
    config,
    shown.map((entry) => ('request' in entry ? entry.request : entry.deposit)),
  )
  const asked = shown.flatMap((entry) => ('request' in entry ? entry.request.id : []))
  const summaries = await selectRequestSummaries(db, asked)
  const payments = shown.flatMap((entry): ListedPayment[] => {
    if ('deposit' in entry) return [{ kind: 'deposit', deposit: entry.deposit, seen: seenAt(entry.deposit) }]
    const { request } = entry
    const summary = summaries.get(request.id)
    return summary ? [{ kind: 'request', request, seen: { ...seenAt(request), summary } }] : []
  })
  return { payments, cursor }
}

/** What was seen at each address, each chain read once. */
async function readSeen(
  db: D1Database,
  config: Pick<Config, 'chains'>,
  places: readonly { address: string; blockchain: Blockchain }[],
): Promise<(place: { address: string; blockchain: Blockchain }) => SeenPayment> {
  const chains = BLOCKCHAINS.filter((chain) => places.some(({ blockchain }) => blockchain === chain))
  const read = await Promise.all(
    chains.map(async (chain) => {
      const addresses = places.flatMap(({ blockchain, address }) => (blockchain === chain ? address : []))
      const [outputs, tip] = await Promise.all([selectOutputsByAddress(db, chain, addresses), selectTip(db, chain)])
      return [chain, { byAddress: Map.groupBy(outputs, ({ address }) => address), tip }] as const
    }),
  )
  const known = new Map(read)
  return ({ address, blockchain }) => {
    const chain = known.get(blockchain)
    const outputs = chain?.byAddress.get(address) ?? []
    return { outputs, tipHeight: chain?.tip?.height ?? 0, chain: config.chains[blockchain] }
  }
}
