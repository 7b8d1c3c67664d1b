import type { Devnet } from '../../devnet/create-devnet.ts'
import type { Coin, Written } from '../../devnet/others/transactions-of-others.ts'
import { toHex } from '../../protocol/bytes.ts'
import type { Blockchain } from '../../protocol/chains.ts'
import { encodeTransaction } from '../../protocol/transaction.ts'
import { connect, nth, unspent } from './call-devnet.ts'

/** In base units: more than what others' transactions here need. */
const AMOUNT = 10_000_000n

/** Mines what others write on an embedded chain in a block of its own; its name. */
export function mineOthers(devnet: Devnet, blockchain: Blockchain, write: (coin: Coin) => Written): string {
  const rpc = connect(devnet, blockchain, '')
  const { transactions, name } = write({ ...nth(unspent(rpc), 0), amount: AMOUNT })
  rpc(
    'devmine',
    transactions.map((transaction) => toHex(encodeTransaction(transaction))),
  )
  return name
}
