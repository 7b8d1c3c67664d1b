import { BLOCKCHAINS, type Blockchain, CHAINS } from '../../../protocol/chains.ts'
import { txChainOverheadVsize } from '../../../protocol/transaction-size.ts'
import type { Config } from '../../platform/config/config.ts'
import { rememberPayer } from '../auth/paying-accounts.ts'

/** Deposits of so many days count, so many times. */
const PAID_DAYS = 90
const PAID_TIMES = 10n
const DAY = 86_400_000
/** Credits that are read at most: the newest. */
const MOST_CREDITS = 1_000
const MIB = 1n << 20n
const KIB_OF_MIB = 1024n

/** What decides how much an account may hold that is not paid for. */
export type AllowanceSettings = Pick<Config, 'quotas' | 'beforePayment' | 'chains' | 'ipfs'>

/** What an account may hold, and how full the database is. */
export interface Allowance {
  /** The quotas of the account. */
  limits: Config['quotas']
  /** Whether money of it was ever moved. */
  hasPaid: boolean
  /** Unpaid items of all accounts together, their bytes, and how many more were removed and wait to be deleted. */
  held: { items: number; bytes: number; removed: number }
  /** Bytes of the database. */
  databaseBytes: number
}

/** What an account may hold now, in one question to the database. `now` in milliseconds. */
export async function readAllowance(
  db: D1Database,
  userId: string,
  settings: AllowanceSettings,
  now: number,
): Promise<Allowance> {
  const [moved, credits, all] = await db.batch<Record<string, unknown>>([
    db.prepare('SELECT blockchain, amount FROM ledger WHERE user_id = ? LIMIT 1').bind(userId),
    db
      .prepare(
        `SELECT blockchain, amount FROM ledger WHERE user_id = ? AND cause >= 'output:' AND cause < 'output;' AND created_at >= ?
         ORDER BY created_at DESC LIMIT ${MOST_CREDITS}`,
      )
      .bind(userId, now - PAID_DAYS * DAY),
    db.prepare(`SELECT items, bytes, removed_items AS removed FROM holdings WHERE user_id = ''`),
  ])
  const hasPaid = (moved?.results.length ?? 0) > 0
  if (hasPaid) rememberPayer(userId)
  const paid = (credits?.results ?? []).map(({ blockchain, amount }) => ({
    blockchain,
    amount: BigInt(String(amount)),
  }))
  const { items, bytes, removed } = all?.results[0] ?? {}
  const held = { items: Number(items ?? 0), bytes: Number(bytes ?? 0), removed: Number(removed ?? 0) }
  return { limits: limitsOf(hasPaid, paid, settings), hasPaid, held, databaseBytes: moved?.meta.size_after ?? 0 }
}

/**
 * The quotas of an account that was credited so much lately, in base units: who never paid may have fewer unpaid items, and
 * the bytes of unpaid items are those that a multiple of the money would store. Pure.
 */
export function limitsOf(
  hasPaid: boolean,
  credits: readonly { blockchain: unknown; amount: bigint }[],
  { quotas, beforePayment, ...settings }: AllowanceSettings,
): Config['quotas'] {
  const stored = BLOCKCHAINS.map((blockchain) => {
    const paid = credits.filter((credit) => credit.blockchain === blockchain)
    const units = PAID_TIMES * paid.reduce((sum, { amount }) => sum + amount, 0n)
    return units === 0n ? 0n : (units * MIB) / leastPricePerMib(blockchain, settings)
  })
  const bytes = stored.reduce((sum, one) => sum + one, BigInt(beforePayment.bytes))
  return {
    ...quotas,
    unpaidItems: hasPaid ? quotas.unpaidItems : Math.min(beforePayment.items, quotas.unpaidItems),
    unpaidBytes: bytes < quotas.unpaidBytes ? Number(bytes) : quotas.unpaidBytes,
  }
}

/** What a MiB costs at the least where it is paid on this chain, in base units and 1 at the least: on it, or on IPFS. */
function leastPricePerMib(blockchain: Blockchain, { chains, ipfs }: Pick<Config, 'chains' | 'ipfs'>): bigint {
  const { segwit, relayFeeRate } = CHAINS[blockchain]
  const { maxDataBytes, pricePerKib } = chains[blockchain]
  const vbytes = (MIB * BigInt(maxDataBytes + txChainOverheadVsize(segwit))) / BigInt(maxDataBytes)
  const onChain = KIB_OF_MIB * pricePerKib + (vbytes * relayFeeRate) / 1000n
  const onIpfs = KIB_OF_MIB * ipfs.pricePerKib
  const least = ipfs.paymentChain === blockchain && onIpfs < onChain ? onIpfs : onChain
  return least > 0n ? least : 1n
}
