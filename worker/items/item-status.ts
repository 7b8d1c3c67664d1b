import type { ItemStatus } from '../storage/items/items.ts'

/** Item states as the API names them (contract, section 6). */
export const STATUS_TEXT: Record<ItemStatus, string> = {
  201: '201 Created',
  402: '402 Payment Required',
  202: '202 Accepted',
  200: '200 OK',
  409: '409 Conflict',
}

/** The state that `text` names: its number, with or without the words behind it. */
export function parseItemStatus(text: string): ItemStatus | undefined {
  const statuses: ItemStatus[] = [201, 402, 202, 200, 409]
  return statuses.find((status) => text === String(status) || text === STATUS_TEXT[status])
}
