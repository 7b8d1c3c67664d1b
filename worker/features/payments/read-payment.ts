import { selectTip } from '../../chain/follower/blocks.ts'
import type { Config } from '../../platform/config/config.ts'
import { notFound } from '../../platform/http/errors.ts'
import { selectOwnDepositAddress } from '../transactions/sql/addresses.ts'
import { depositView, requestView } from './payment-view.ts'
import { selectOutputsByAddress } from './sql/outputs.ts'
import { selectRequestSummaries } from './sql/payment-list.ts'
import { selectRequestByAddress } from './sql/payment-requests.ts'

/** The caller's request or deposit at an address, as JSON text. @throws {AppError} 404. */
export async function readPayment(
  db: D1Database,
  config: Pick<Config, 'chains'>,
  userId: string,
  address: string,
): Promise<string> {
  const request = await selectRequestByAddress(db, userId, address)
  const deposit = request ? undefined : await selectOwnDepositAddress(db, userId, address)
  const blockchain = request?.blockchain ?? deposit?.blockchain
  if (!blockchain) throw notFound('This address is neither a payment request nor a deposit address of yours.')
  const [outputs, tip] = await Promise.all([
    selectOutputsByAddress(db, blockchain, [address]),
    selectTip(db, blockchain),
  ])
  const seen = { outputs, tipHeight: tip?.height ?? 0, chain: config.chains[blockchain] }
  if (deposit) return depositView(deposit, seen)
  const summary = request && (await selectRequestSummaries(db, [request.id])).get(request.id)
  if (!summary) throw notFound('You have no payment request at this address.')
  return requestView({ ...request, address }, { ...seen, summary })
}
