import type { AgentContext } from '../../chain/follower/agent-context.ts'
import { recordFailure } from '../../chain/follower/each-record.ts'
import { deleteFailedRecordStatement, selectFailedRecords } from '../../chain/follower/failed-records.ts'
import { findAddressScript } from '../../chain/rpc/address-methods.ts'
import type { WalletEntry } from '../../chain/rpc/transaction-methods.ts'
import { selectUser } from '../auth/sql/users.ts'
import { parseAddressLabel } from '../wallet/address-label.ts'
import { insertLostAddressStatement } from '../wallet/sql/addresses.ts'

/** Addresses that are looked up for one part of the wallet's history. */
const MOST = 100

/**
 * Writes down again whose the addresses are that money came to and nobody here knows, by their labels in the wallet: the database was
 * restored to before they were given out. What came becomes balance. One of an account that is gone, too, is a record for the operator.
 * Returns the addresses that are known now. @throws {NodeError} {@link RpcError}
 */
export async function recoverAddresses(
  context: AgentContext,
  entries: readonly WalletEntry[],
): Promise<ReadonlySet<string>> {
  const { db, rpc, blockchain, now } = context
  const labelled = new Map(
    entries.flatMap(({ address, label }) => {
      const owner = parseAddressLabel(label)
      return owner ? [[address, owner] as const] : []
    }),
  )
  const known = new Set<string>()
  for (const [address, { userId, kind }] of [...labelled].slice(0, MOST)) {
    const script = await findAddressScript(rpc, address)
    if (script === undefined) continue
    if (!(await selectUser(db, userId))) {
      await noteNoOwner(context, address, userId)
      continue
    }
    await db.batch([
      insertLostAddressStatement(db, { blockchain, address, script, userId, kind }, now),
      deleteFailedRecordStatement(db, blockchain, 'owner', [address]),
    ])
    console.warn('address_recovered', blockchain, address, userId)
    known.add(address)
  }
  return known
}

async function noteNoOwner(context: AgentContext, address: string, userId: string): Promise<void> {
  const failedRecords = await selectFailedRecords(context.db, context.blockchain, 'owner')
  if (failedRecords.some(({ id }) => id === address)) return
  const reason = `Money came to an address of the account ${userId}, which the database does not have. Credit another by hand, and close this.`
  await recordFailure(context, 'owner', address, new Error(reason))
}
