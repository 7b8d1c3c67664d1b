import { formatAmount } from '../../../protocol/amount.ts'
import { BLOCKCHAINS, type Blockchain, CHAINS, isBlockchain } from '../../../protocol/chains.ts'
import { invalidField } from '../../platform/http/errors.ts'
import { readCoins, readText } from '../../platform/http/read-fields.ts'

/** What a caller asks to be paid out; amounts in base units. */
export interface WithdrawalOrder {
  blockchain: Blockchain
  address: string
  amount: bigint
  /** The most that it may cost beside the amount. */
  maxFee: bigint | undefined
}

/** Characters of the longest address of any kind (BIP 173). */
const MAX_ADDRESS = 90

/** The chain of a withdrawal. @throws {AppError} 400, for IPFS too, which has no coins. */
export function parseChain(value: string): Blockchain {
  if (isBlockchain(value)) return value
  throw invalidField('blockchain', `must be one of ${BLOCKCHAINS.join(', ')}, capitals included: IPFS has no coins.`)
}

/** The body of POST /v0/withdrawal. @throws {AppError} 400 naming the field. */
export function parseWithdrawal(body: Record<string, unknown>): WithdrawalOrder {
  const blockchain = parseChain(readText(body, 'blockchain'))
  const address = readText(body, 'address')
  if (!/^[A-Za-z0-9]+$/.test(address) || address.length > MAX_ADDRESS) {
    throw invalidField('address', `must be an address of ${blockchain}.`)
  }
  const amount = readCoins(body, 'amount')
  const { dust } = CHAINS[blockchain]
  if (amount < dust) {
    throw invalidField('amount', `must be at least ${formatAmount(dust)}: the network relays no smaller output.`)
  }
  return { blockchain, address, amount, maxFee: body.maxFee === undefined ? undefined : readCoins(body, 'maxFee') }
}
