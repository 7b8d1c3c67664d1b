import type { Schema } from '../../worker/features/docs/operation.ts'

const NULL_TEXT: Schema = { type: ['string', 'null'] }
const NULL_COUNT: Schema = { type: ['integer', 'null'] }
const FLAG: Schema = { type: 'boolean' }

/** What the console needs of the description that the API does not describe yet. */
export const NEEDED_SCHEMAS: Record<string, Schema> = {}

/** What schemas that are described already gain. */
export const NEEDED_PROPERTIES: Record<string, Record<string, Schema>> = {
  Item: {
    path: { ...NULL_TEXT, description: 'Names of the folders above it, joined by `/`.' },
    files: { ...NULL_COUNT, description: 'Files of a directory item.' },
    merging: FLAG,
  },
}
