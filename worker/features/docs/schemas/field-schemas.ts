import { BLOCKCHAINS, STORAGE_TARGETS } from '../../../../protocol/chains.ts'
import { OBJECT_ID_PATTERN } from '../../../../protocol/object-id.ts'
import { MAX_TXIDS } from '../../../content/chain/parse-request.ts'
import { ERROR_CODES } from '../../../platform/http/error-codes.ts'
import { REPORT_STATUSES } from '../../reports/sql/reports.ts'
import { object, ref, type Schema } from '../operation.ts'
import { PATTERNS } from '../patterns.ts'

/** A time as answers carry it. */
export const seconds = (description: string): Schema => ({
  type: 'integer',
  description: `${description}, in Unix seconds.`,
})
/** An amount of money as answers carry it. */
export const coins = (description: string): Schema => ({
  type: 'number',
  description: `${description}, in coins with at most 8 decimals. Read it as a decimal: it can be finer than a double.`,
})

/** {@link seconds} that may be missing. */
export const timeOrNull = (description: string): Schema => ({
  type: ['integer', 'null'],
  description: `${description}, in Unix seconds.`,
})

/** The same of each chain, by its name. */
export const perChain = (schema: Schema): Schema =>
  object(Object.fromEntries(BLOCKCHAINS.map((name) => [name, schema])))

export const COUNT: Schema = { type: 'integer', minimum: 0 }
export const EMAIL: Schema = { type: 'string', pattern: PATTERNS.email, description: 'In lower case, or made so.' }
export const PASSWORD: Schema = {
  type: 'string',
  pattern: PATTERNS.password,
  maxLength: 1024,
  description: 'At least 6 characters, with a digit, a lower- and an upper-case letter; at most 1,024 bytes.',
}
export const TXID = ref('Txid')
export const OBJECT_ID = ref('ObjectId')
export const REPORT_STATUS: Schema = { type: 'string', enum: REPORT_STATUSES }
export const MESSAGE = object({ message: { type: 'string' } })

/** What is part of many answers and bodies. */
export const FIELD_SCHEMAS: Record<string, Schema> = {
  Problem: {
    ...object({
      message: { type: 'string', description: 'A sentence that a person can act on.' },
      code: {
        type: 'string',
        enum: Object.keys(ERROR_CODES),
        description: 'Stable, for programs.',
        example: 'invalid_field',
      },
    }),
    description: 'Every refusal, unless it has no body.',
  },
  ObjectId: { type: 'string', pattern: OBJECT_ID_PATTERN, description: 'Of an item or a folder.' },
  Txid: {
    type: 'string',
    pattern: '^[0-9a-fA-F]{64}$',
    description: 'Of a transaction, in the order that people read.',
  },
  Blockchain: { type: 'string', enum: BLOCKCHAINS, description: 'Capitals matter.' },
  StorageTarget: { type: 'string', enum: STORAGE_TARGETS, description: 'Capitals matter.' },
  Content: object({
    blockchain: ref('Blockchain'),
    txids: { type: 'array', items: TXID, minItems: 1, maxItems: MAX_TXIDS, description: 'In order; repeats count.' },
  }),
}
