import type { NewItem } from './item.ts'

/** The version of tus that is spoken here (https://tus.io/protocols/resumable-upload). */
export const TUS_VERSION = '1.0.0'

/** The extensions of tus that are offered. */
export const TUS_EXTENSIONS = ['creation', 'creation-with-upload', 'termination', 'expiration'] as const

/** Fields of a new item that `Upload-Metadata` carries: all but its size, which is `Upload-Length`. */
type MetadataField = Exclude<keyof NewItem, 'size'>

/**
 * The key of each field of a new item in `Upload-Metadata`. A field that is added to a new item is missing here until it
 * has a key; one that is no text cannot have one.
 */
export const METADATA_KEYS = {
  name: 'filename',
  mimetype: 'filetype',
  blockchain: 'blockchain',
  folder: 'folder',
  order: 'order',
} as const satisfies { [Field in MetadataField]-?: NonNullable<NewItem[Field]> extends string ? string : never }
