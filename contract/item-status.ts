/** What the API says of an item, in the order in which it passes through them; the last one needs an operator. */
export const ITEM_STATUSES = ['201 Created', '402 Payment Required', '202 Accepted', '200 OK', '409 Conflict'] as const
export type ItemStatus = (typeof ITEM_STATUSES)[number]

/** Their numbers alone, by which lists are asked for. */
export const ITEM_STATUS_NUMBERS = ITEM_STATUSES.map((text) => text.slice(0, 3))
