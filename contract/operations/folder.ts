import { idOf, ObjectId } from '../fields.ts'
import { Folder, FolderQuery, KnownFiles, NewFolder, OwnFiles } from '../folder.ts'
import { json, operations, page } from '../operation.ts'
import { object } from '../schema.ts'
import { merge } from './merge.ts'

/** Folders, from their making to their merge. */
export const FOLDER_OPERATIONS = operations('Storing', {
  'GET /v0/folder': {
    id: 'listFolders',
    summary: 'List your folders',
    description: 'Those directly in one folder, or in none; newest first, 50 a page.',
    token: 'store',
    query: FolderQuery.entries,
    answers: { 200: page('A page.', 'folders', Folder) },
  },
  'POST /v0/folder': {
    id: 'createFolder',
    summary: 'Make a folder',
    description: 'The same name in the same place again gives the same id.',
    token: 'store',
    idempotent: true,
    body: NewFolder,
    example: { name: 'site', blockchain: 'IPFS' },
    answers: {
      201: json('The folder.', object({ id: ObjectId }), { id: '6b01a4cc8a40fc232d317ec6' }),
      409: 'The parent has been merged and takes nothing more, or you have too many folders with no file in them.',
    },
    refuses: [404],
  },
  'POST /v0/folder/{id}/known': {
    id: 'linkKnownFiles',
    summary: 'Link files that your stored items hold',
    description:
      'IPFS only, for a folder that is not merged. Of these files, those that stored IPFS items of yours hold are linked into the folder: they are neither sent nor paid for. Nobody else’s items are looked at. Folders on the way must be there.',
    token: 'store',
    path: { id: idOf('Of the folder.') },
    body: OwnFiles,
    example: { files: [{ path: 'css/main.css', size: 1200, sha256: 'a'.repeat(64) }] },
    answers: {
      200: json('The paths of the files that are linked, now or before.', KnownFiles),
      409: 'The folder has been merged, or the account has all that its quota allows.',
    },
  },
  'POST /v0/folder/{id}/merge': merge(
    'mergeFolder',
    'Merge a folder',
    'IPFS only: the folder becomes one directory, one item, one CID. The files in it, merged before or not, become part of that item.',
    'Something has to be put right first: chunks are missing (`missing` lists `{id, path, chunks}`), the folder is empty, names collide, or a file is paid for.',
  ),
})
