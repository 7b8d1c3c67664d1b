import type { AgentContext } from '../../chain/follower/agent-context.ts'
import { labelAddresses } from '../../chain/rpc/address-methods.ts'
import { addressLabel } from '../wallet/address-label.ts'
import { markLabelledStatement, selectUnlabelled } from '../wallet/sql/unlabelled.ts'

/** Addresses that get their label with one block. */
const PER_BLOCK = 100

/**
 * Labels addresses at the node's wallet that were made before labels were, the newest first, so that money at them is found again
 * after a restore of the database; to be called once for each block. One that the node refuses is not tried again.
 * @throws {NodeError}
 */
export async function labelOldAddresses({ db, rpc, blockchain }: AgentContext): Promise<void> {
  const addresses = await selectUnlabelled(db, blockchain, PER_BLOCK)
  if (addresses.length === 0) return
  const labels = addresses.map(({ address, ...owner }) => ({ address, label: addressLabel(owner) }))
  const taken = await labelAddresses(rpc, blockchain, labels)
  const refused = addresses.filter((_, index) => !taken[index]).map(({ address }) => address)
  if (refused.length > 0) console.warn('addresses_not_labelled', blockchain, refused.join())
  await markLabelledStatement(
    db,
    blockchain,
    addresses.map(({ address }) => address),
    refused,
  ).run()
}
