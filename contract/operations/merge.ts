import { idOf } from '../fields.ts'
import { Item, RefusedMerge } from '../item.ts'
import { json, type Operation, RETRY_AFTER } from '../operation.ts'

/** A merge: what it is of, and what it misses. */
export const merge = (id: string, summary: string, description: string, missing: string): Operation => ({
  id,
  summary,
  description,
  token: 'store',
  path: { id: idOf('Of what is merged.') },
  answers: {
    200: json('Merged, now or before: the item, from `402 Payment Required` on.', Item),
    202: { ...json('The merge goes on. Ask again.', Item), headers: RETRY_AFTER },
    409: json(missing, RefusedMerge),
    422: 'More than this target takes. The message says which target would take it.',
  },
  refuses: [400],
})
