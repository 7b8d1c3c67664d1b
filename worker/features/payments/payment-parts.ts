import type { PaymentRequest, PriceParts } from './sql/payment-requests.ts'

/** The parts of an amount, in base units, under their names in answers. */
export function paymentParts({
  amount,
  parts,
}: Pick<PaymentRequest, 'amount' | 'parts'>): PriceParts & { dustFee?: bigint } {
  const dustFee = amount - parts.networkFee - parts.storageFee
  return { ...parts, ...(dustFee > 0n ? { dustFee } : {}) }
}
