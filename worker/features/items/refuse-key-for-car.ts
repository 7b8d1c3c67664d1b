import { AppError } from '../../platform/http/errors.ts'
import type { Item } from './sql/items.ts'

/**
 * No API key may import: it can neither add bytes to the upload of a CAR nor have one merged, whoever began it. `byKey`: whether
 * the request has one. @throws {AppError} 403
 */
export function refuseKeyForCar(item: Pick<Item, 'kind'> | undefined, byKey: boolean): void {
  if (!byKey || item?.kind !== 'car') return
  throw new AppError(403, 'key_not_taken', 'No API key may import a CAR. Log in, and send an access token.')
}
