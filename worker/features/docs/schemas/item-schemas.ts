import { object, ref, type Schema } from '../operation.ts'
import { coins, OBJECT_ID, seconds } from './field-schemas.ts'

/** Items, folders, uploads, and what is told of them. */
export const ITEM_SCHEMAS: Record<string, Schema> = {
  Upload: object({
    id: OBJECT_ID,
    name: { type: 'string' },
    path: { type: ['string', 'null'], description: 'Names of the folders above it, joined by `/`.' },
    mimetype: { type: 'string' },
    blockchain: ref('StorageTarget'),
    folder: { type: ['string', 'null'], description: 'The folder that it lies in.' },
    size: { type: 'integer', minimum: 0 },
    received: { type: 'integer', minimum: 0, description: 'Bytes: where the upload goes on.' },
    createdAt: seconds('When it was begun'),
    expiresAt: seconds('When it is removed unless bytes are added'),
  }),
  Target: object({
    blockchain: ref('StorageTarget'),
    available: { type: 'boolean' },
    reason: { type: ['string', 'null'], description: 'A sentence: why nothing can be stored there now.' },
    paidIn: ref('Blockchain'),
    maxFileBytes: { type: 'integer', description: 'Of a file by its own size; more is refused before the upload.' },
    maxFiles: { type: 'integer', description: 'Of one order, or of one folder on IPFS.' },
    maxDataBytes: { type: ['integer', 'null'], description: 'Data bytes of one transaction; null for IPFS.' },
    confirmations: { type: 'integer', description: 'Depth at which a payment settles.' },
    minutes: { type: 'number', description: 'Usual minutes from a payment until it is written, before its depth.' },
  }),
  Estimate: object(
    {
      blockchain: ref('StorageTarget'),
      paidIn: ref('Blockchain'),
      amount: coins('What it costs at most'),
      networkFee: coins("The network's fees, with a margin"),
      storageFee: coins("This service's price"),
      dustFee: coins('Added because the network relays no smaller output; only where it is more than nothing'),
      transactions: { type: 'integer', description: 'Data transactions at most.' },
      readAt: seconds('When the fee rate was read'),
    },
    ['dustFee'],
  ),
}
