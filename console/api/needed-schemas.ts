import { object, ref, type Schema } from '../../worker/openapi/operation.ts'

const TEXT: Schema = { type: 'string' }
const NULL_TEXT: Schema = { type: ['string', 'null'] }
const COUNT: Schema = { type: 'integer', minimum: 0 }
const NULL_COUNT: Schema = { type: ['integer', 'null'] }
/** Unix seconds. */
const TIME: Schema = { type: 'integer' }
const COINS: Schema = { type: 'number', description: 'In coins with at most 8 decimals.' }
const FLAG: Schema = { type: 'boolean' }
export const list = (items: Schema): Schema => ({ type: 'array', items })
const oneOf = (...values: string[]): Schema => ({ type: 'string', enum: values })

/** What the console needs of the description that the API does not describe yet. */
export const NEEDED_SCHEMAS: Record<string, Schema> = {
  Withdrawal: object({
    id: TEXT,
    blockchain: ref('Blockchain'),
    address: TEXT,
    amount: COINS,
    fee: COINS,
    state: oneOf('waiting', 'sent', 'confirmed', 'failed'),
    txid: NULL_TEXT,
    depth: COUNT,
    createdAt: TIME,
  }),
}

/** What schemas that are described already gain. */
export const NEEDED_PROPERTIES: Record<string, Record<string, Schema>> = {
  Item: {
    path: { ...NULL_TEXT, description: 'Names of the folders above it, joined by `/`.' },
    files: { ...NULL_COUNT, description: 'Files of a directory item.' },
    merging: FLAG,
  },
}
