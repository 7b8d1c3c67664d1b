import type { AgentContext } from '../../chain/follower/agent-context.ts'
import { recordFailure } from '../../chain/follower/each-record.ts'
import { selectFailedIds } from '../../chain/follower/failed-records.ts'
import { findAddressScript } from '../../chain/rpc/address-methods.ts'
import type { WalletEntry } from '../../chain/rpc/transaction-methods.ts'
import { selectUser } from '../auth/sql/users.ts'
import { parseAddressLabel } from '../transactions/address-label.ts'
import { insertLostAddressStatement } from '../transactions/sql/addresses.ts'

/** What the addresses of one part of a wallet's history turned out to be. */
export interface Recovered {
  /** Addresses that are known now. */
  known: ReadonlySet<string>
  /** Addresses that were looked up. */
  tried: number
  /** Whether there are more to look up than `limit`. */
  more: boolean
}

/**
 * Returns which addresses in `entries` are known now. Addresses that received money and that the database does not know
 * are recorded again with the owner that their label in the wallet names: the database was restored to a time before
 * they were issued. Money at them becomes balance. If the account no longer exists either, the address becomes a record
 * for the operator. At most `limit` addresses are looked up: each needs one call to the node and three statements.
 * @throws {NodeError} {@link RpcError}
 */
export async function recoverAddresses(
  context: AgentContext,
  entries: readonly WalletEntry[],
  limit: number,
): Promise<Recovered> {
  const { db, rpc, blockchain, now } = context
  const labelled = new Map(
    entries.flatMap(({ address, label }) => {
      const owner = parseAddressLabel(label)
      return owner ? [[address, owner] as const] : []
    }),
  )
  const noted = await selectFailedIds(db, blockchain, 'owner', [...labelled.keys()])
  const lost = [...labelled].filter(([address]) => !noted.has(address))
  const known = new Set<string>()
  for (const [address, { userId, kind }] of lost.slice(0, limit)) {
    const script = await findAddressScript(rpc, address)
    if (script === undefined || !(await selectUser(db, userId))) {
      await recordFailure(context, 'owner', address, new Error(noOwner(userId)))
      continue
    }
    await insertLostAddressStatement(db, { blockchain, address, script, userId, kind }, now).run()
    console.warn('address_recovered', blockchain, address, userId)
    known.add(address)
  }
  return { known, tried: Math.min(limit, lost.length), more: lost.length > limit }
}

function noOwner(userId: string): string {
  return `Money came to an address of the account ${userId}, which the database does not have. Credit another by hand, and close this.`
}
