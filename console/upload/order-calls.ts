import { Transport } from '../../client/http/transport.ts'
import { foldersOf } from '../../client/resources/folders.ts'
import { itemsOf } from '../../client/resources/items.ts'
import { options } from '../api/connection.ts'
import { credentials } from '../session/access.ts'

/** Requests that an order makes itself are retried without limit, since no user action starts them. */
const patient = new Transport({ ...options, retries: Number.POSITIVE_INFINITY }, credentials)

export const items = itemsOf(patient)
export const folders = foldersOf(patient)
