import type { PaymentRequest } from './sql/payment-requests.ts'

/** The parts of an amount, in base units, under their names in answers; empty for a request of long ago. */
export function paymentParts({ amount, parts }: Pick<PaymentRequest, 'amount' | 'parts'>): Record<string, bigint> {
  if (!parts) return {}
  const dustFee = amount - parts.networkFee - parts.storageFee
  return { ...parts, ...(dustFee > 0n ? { dustFee } : {}) }
}
