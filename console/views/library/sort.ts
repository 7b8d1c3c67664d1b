/** The order of a list of items; a minus reverses it. */
export const SORTS = ['name', '-name', 'size', '-size', 'status', '-status', 'created', '-created'] as const
export type Sort = (typeof SORTS)[number]
