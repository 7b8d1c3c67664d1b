import type { NewItem } from '../../../contract/item.ts'
import type { Config } from '../../platform/config/config.ts'
import { AppError } from '../../platform/http/errors.ts'

/** What a caller says of a new item. */
export interface NewItemRequest extends NewItem {
  /** A CAR, whose blocks are imported unchanged, in place of a file. */
  kind?: 'car'
  /** What is before the name of a field in a refusal: nothing, or which of a list it is. */
  at: string
}

/** @throws {AppError} 413 for what no item may have here, 422 for content that no chain here could return. */
export function checkNewItem(
  item: NewItem,
  limits: Pick<Config, 'maxItemBytes' | 'maxDecodedBytes' | 'quotas'>,
  at = '',
): NewItemRequest {
  const { blockchain, size } = item
  const most = Math.min(limits.maxItemBytes, limits.quotas.unpaidBytes)
  if (size > most) {
    throw new AppError(413, 'item_too_large', `An item may have at most ${most} bytes here, this has ${size}.`)
  }
  if (blockchain !== 'IPFS' && size > limits.maxDecodedBytes) {
    const which = at === '' ? '' : `${at}size: `
    const message = `${which}Content on a chain may have at most ${limits.maxDecodedBytes} bytes, this has ${size}. IPFS would take it.`
    throw new AppError(422, 'content_too_large', message)
  }
  return { ...item, at }
}
