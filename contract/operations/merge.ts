import { idOf } from '../fields.ts'
import { Item, MergeOptions, RefusedMerge } from '../item.ts'
import { json, type Operation, RETRY_AFTER } from '../operation.ts'

/** A merge: what it is of, and what it misses. */
export const merge = (of: 'folder' | 'item', summary: string, description: string, missing: string): Operation => ({
  id: of === 'folder' ? 'mergeFolder' : 'mergeItem',
  summary,
  description,
  token: 'store',
  keys: ['store'],
  path: { id: idOf(of) },
  body: { required: false, types: { 'application/json': MergeOptions } },
  example: { index: true },
  answers: {
    200: json('Merged, now or before: the item, from `402 Payment Required` on.', Item),
    202: { ...json('The merge is still running. Ask again.', Item), headers: RETRY_AFTER },
    409: json(missing, RefusedMerge),
    422: 'More than this target accepts, and the message says which targets accept it; or an index on a target without indexes.',
  },
  refuses: [400],
})
