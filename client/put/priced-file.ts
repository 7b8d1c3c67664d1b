import type { ByteSource } from './put-content.ts'

/** A file as an estimate counts it; sizes in bytes. */
export interface EstimatedSize {
  size: number
  mimetype: string
}

/** A file to price. Without its content its compressed size is unknown. */
export interface PricedFile extends EstimatedSize {
  path: string
  source?: ByteSource | undefined
}
