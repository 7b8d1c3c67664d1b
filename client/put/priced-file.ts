import type { ByteSource } from './put-content.ts'

/** What an estimate counts of a file; bytes. */
export interface EstimatedSize {
  size: number
  mimetype: string
}

/** A file whose price is asked for; without its content nobody can say how short it becomes. */
export interface PricedFile extends EstimatedSize {
  path: string
  source?: ByteSource | undefined
}
