/** How a list of items is sorted; a minus turns it round. */
export const SORTS = ['name', '-name', 'size', '-size', 'status', '-status', 'created', '-created'] as const
export type Sort = (typeof SORTS)[number]
