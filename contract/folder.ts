import * as v from 'valibot'
import { ContentHash, FileName, FolderId, FROM_CURSOR, named, OrderId, StorageTarget } from './fields.ts'
import { MAX_DIRECTORY_FILES, SEARCHED_NAMES } from './limits.ts'
import {
  flag,
  integer,
  list,
  noted,
  nullable,
  nullish,
  type Output,
  object,
  optional,
  seconds,
  text,
} from './schema.ts'

export const Folder = object({
  id: FolderId,
  name: text(),
  blockchain: StorageTarget,
  parent: nullable(text(), 'The folder that contains it.'),
  item: nullable(named('item', text()), 'The item that it was merged into.'),
  items: integer('Files in it and below it.'),
  createdAt: seconds('When it was made'),
})

export const NewFolder = object({
  name: FileName,
  blockchain: StorageTarget,
  parent: nullish(FolderId, 'A folder; null means the same as absent.'),
  order: nullish(OrderId, 'What it is stored together with, of the same target; a UUID that the client makes.'),
  newVersion: optional(flag('Where the folder of this name there is merged: makes an open one beside it.')),
})

export type NewFolder = Output<typeof NewFolder>

/** The new name and parent of a folder. */
export const FolderChange = object({
  name: optional(FileName),
  parent: optional(nullable(FolderId, 'A folder of the same target; null for none.')),
})
export type FolderChange = Output<typeof FolderChange>

export const FolderQuery = object({
  parent: optional(
    noted(
      v.union([v.literal('none'), FolderId], 'must be the id of a folder, or none.'),
      'The id of a folder; `none`, or nothing, for those in none.',
    ),
  ),
  name: optional(
    text(
      `A part of the name, ASCII letters without regard to their case: those of all places that are not merged, of which ${SEARCHED_NAMES} are searched. Not with \`parent\` or \`cursor\`.`,
      { least: 1, most: 200 },
    ),
  ),
  ...FROM_CURSOR,
})
export type FolderQuery = Output<typeof FolderQuery>

/** A file as its owner has it. */
const OwnFile = object({
  path: text('Below the folder, with slashes.', { least: 1, sentence: 'must be a path below the folder.' }),
  size: integer('Bytes.', { least: 0, sentence: 'must be a whole number of bytes.' }),
  sha256: ContentHash,
})
export type OwnFile = Output<typeof OwnFile>

/** Files of which some may be stored already. */
export const OwnFiles = object({
  files: v.pipe(
    list(OwnFile, undefined, {
      least: 1,
      most: MAX_DIRECTORY_FILES,
      sentence: `must be a list of 1 to ${MAX_DIRECTORY_FILES} files.`,
    }),
    v.check((files) => new Set(files.map(({ path }) => path)).size === files.length, 'must have each path once.'),
  ),
})
/** The paths of those that are linked. */
export const KnownFiles = object({ known: list(text()) })
