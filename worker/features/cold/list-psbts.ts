import { BLOCKCHAINS, CHAINS } from '../../../protocol/chains.ts'
import { outpointOf } from '../../../protocol/transaction.ts'
import { selectStoppedParts } from '../../chain/follower/stops.ts'
import { unixSeconds } from '../../platform/clock.ts'
import { coinsJson, listJson } from '../../platform/http/coins-json.ts'
import { selectWithdrawalsById, type Withdrawal } from '../withdrawals/sql/withdrawals.ts'
import { readRawPayout, toPrevtxs } from './raw-payout.ts'
import { type HandedPsbt, selectPsbts, signedTxid } from './sql/psbts.ts'

/** PSBTs of one chain that are shown. */
const SHOWN = 100

/** The PSBTs that wait for signatures, as JSON text; none of a chain whose payouts are stopped. */
export async function listPsbts(db: D1Database): Promise<string> {
  const texts: string[] = []
  for (const blockchain of BLOCKCHAINS) {
    const handed = (await selectPsbts(db, blockchain, SHOWN)).filter(({ offered }) => offered)
    if (handed.length === 0 || (await selectStoppedParts(db, blockchain)).has('payouts')) continue
    const ids = handed.map(({ withdrawalId }) => withdrawalId)
    const withdrawals = new Map((await selectWithdrawalsById(db, ids)).map((one) => [one.id, one]))
    for (const psbt of handed) {
      const withdrawal = withdrawals.get(psbt.withdrawalId)
      if (withdrawal) texts.push(psbtJson(psbt, withdrawal))
    }
  }
  return listJson('psbts', texts)
}

/** A PSBT that is handed out, as the API answers it, as JSON text. */
function psbtJson(handed: HandedPsbt, withdrawal: Withdrawal): string {
  const { psbt, fee, createdAt, signed } = handed
  const { id, userId, blockchain, address, amount, coin, ending } = withdrawal
  const state = ending ? 'ending' : signed === undefined ? 'waiting' : 'signed'
  const txid = signedTxid(handed) ?? null
  const fields = { id, account: userId, blockchain, address, txid, coin: coin ? outpointOf(coin) : null }
  const since = unixSeconds(createdAt)
  return coinsJson(
    { ...fields, state, since, ...(CHAINS[blockchain].segwit ? { psbt } : rawFields(psbt)) },
    { amount, fee },
  )
}

/** What a signer needs where nodes know no PSBTs. */
function rawFields(text: string) {
  const { hex, spent } = readRawPayout(text)
  return { hex, prevtxs: toPrevtxs(spent) }
}
