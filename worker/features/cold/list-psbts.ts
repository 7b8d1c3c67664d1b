import { BLOCKCHAINS } from '../../../protocol/chains.ts'
import { selectStoppedParts } from '../../chain/follower/stops.ts'
import { unixSeconds } from '../../platform/clock.ts'
import { coinsJson } from '../../platform/http/coins-json.ts'
import { selectWithdrawalsById, type Withdrawal } from '../withdrawals/sql/withdrawals.ts'
import { type HandedPsbt, selectPsbts } from './sql/psbts.ts'

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
  return `{"psbts":[${texts.join()}]}`
}

/** A PSBT that is handed out, as the API answers it, as JSON text. */
function psbtJson({ psbt, txid, fee, createdAt, signed }: HandedPsbt, withdrawal: Withdrawal): string {
  const { id, userId, blockchain, address, amount, coin, ending } = withdrawal
  const state = ending ? 'ending' : signed === undefined ? 'waiting' : 'signed'
  const fields = { id, account: userId, blockchain, address, txid, coin: coin ? `${coin.txid}:${coin.vout}` : null }
  return coinsJson({ ...fields, state, since: unixSeconds(createdAt), psbt }, { amount, fee })
}
