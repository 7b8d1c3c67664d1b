import type { NewWithdrawal } from '../../../../contract/payment.ts'
import { formatAmount } from '../../../../protocol/amount.ts'
import { CHAINS } from '../../../../protocol/chains.ts'
import { invalidField } from '../../../platform/http/errors.ts'

/** Characters of the longest address of any kind (BIP 173). */
const MAX_ADDRESS = 90

/** What a caller asks to be paid out, where the chain could send it. @throws {AppError} 400 naming the field. */
export function checkWithdrawal({ blockchain, address, amount, maxFee }: NewWithdrawal): NewWithdrawal {
  if (!/^[A-Za-z0-9]+$/.test(address) || address.length > MAX_ADDRESS) {
    throw invalidField('address', `must be an address of ${blockchain}.`)
  }
  const { dust } = CHAINS[blockchain]
  if (amount < dust) {
    throw invalidField('amount', `must be at least ${formatAmount(dust)}: the network relays no smaller output.`)
  }
  return { blockchain, address, amount, maxFee }
}
