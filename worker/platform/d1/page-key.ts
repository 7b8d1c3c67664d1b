/** Where the next page of a list begins, newest first: after the row that was created then (milliseconds) with this id. */
export interface PageKey {
  createdAt: number
  id: string
}
