import type { PaymentRequest } from './sql/payment-requests.ts'

/** What an amount is made of, in base units, by the names that answers give them; nothing for a request of long ago. */
export function paymentParts({ amount, parts }: Pick<PaymentRequest, 'amount' | 'parts'>): Record<string, bigint> {
  if (!parts) return {}
  const dustFee = amount - parts.networkFee - parts.storageFee
  return { ...parts, ...(dustFee > 0n ? { dustFee } : {}) }
}
