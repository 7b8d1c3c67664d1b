import { isStorageTarget, STORAGE_TARGETS, type StorageTarget } from '../../../protocol/chains.ts'
import { isObjectId } from '../../../protocol/object-id.ts'
import { invalidField } from '../../platform/http/errors.ts'
import { readCoins, readText } from '../../platform/http/read-fields.ts'

/** Items in one request: cancelling removes all of them in one transaction of the database. */
export const MAX_ITEMS = 200

/** A storage target by its exact name. @throws {AppError} 400 */
export function parseTarget(value: string): StorageTarget {
  if (!isStorageTarget(value)) {
    throw invalidField('blockchain', `must be one of ${STORAGE_TARGETS.join(', ')}, capitals included.`)
  }
  return value
}

/** What a caller asks to pay for. */
export interface OrderBody {
  target: StorageTarget
  /** Without repetition. */
  ids: string[]
  /** The most that the balance may pay, in base units; `undefined` for whatever it costs. */
  maxFromBalance: bigint | undefined
}

/** The body of POST /v0/payment. @throws {AppError} 400 */
export function parseOrder(body: Record<string, unknown>): OrderBody {
  const target = parseTarget(readText(body, 'blockchain'))
  const { ids } = body
  if (ids === undefined) throw invalidField('ids', 'is missing.')
  if (!Array.isArray(ids) || ids.length === 0) throw invalidField('ids', 'must be a list of at least one object id.')
  const checked: string[] = []
  for (const id of ids) {
    if (!isObjectId(id)) {
      throw invalidField('ids', 'must hold object ids: 24 lowercase hex digits each.')
    }
    checked.push(id)
  }
  const distinct = [...new Set(checked)]
  if (distinct.length > MAX_ITEMS) throw invalidField('ids', `must hold at most ${MAX_ITEMS} items.`)
  const maxFromBalance = body.maxFromBalance === undefined ? undefined : readCoins(body, 'maxFromBalance')
  return { target, ids: distinct, maxFromBalance }
}
