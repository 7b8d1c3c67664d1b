/** Where a list goes on, newest first: behind what was made then (milliseconds) with this id. */
export interface PageKey {
  createdAt: number
  id: string
}
