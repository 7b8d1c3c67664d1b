import { MAX_CHARACTERS } from '../items/parse-name.ts'
import { common, inPath, json, type Operation, object, ref, refusal, token } from './operation.ts'
import { PATTERNS } from './patterns.ts'
import { OBJECT_ID } from './schemas/field-schemas.ts'

const tags = ['Storing'] as const
/** Of a file or a folder. */
export const NAME = {
  type: 'string',
  pattern: PATTERNS.name,
  minLength: 1,
  maxLength: MAX_CHARACTERS,
  description: 'No slashes, no control characters.',
}

const RETRY_AFTER = { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } } }

/** A merge: what it is of, and what it misses. */
export const merge = (operationId: string, summary: string, description: string, missing: string): Operation => ({
  tags,
  operationId,
  summary,
  description,
  security: token('store'),
  parameters: [inPath('id', 'Of what is merged.', OBJECT_ID)],
  responses: {
    '200': json('Merged, now or before: the item, from `402 Payment Required` on.', ref('Item')),
    '202': { ...json('The merge goes on. Ask again.', ref('Item')), headers: RETRY_AFTER },
    ...common('400', '401', '403', '404'),
    '409': json(
      missing,
      object({ message: { type: 'string' }, code: { type: 'string' }, missing: { type: 'array', items: {} } }, [
        'missing',
      ]),
    ),
    '422': refusal('More than this target takes. The message says which target would take it.'),
  },
})
