import { FolderId, idOf } from '../fields.ts'
import { Folder, FolderChange, FolderQuery, KnownFiles, NewFolder, OwnFiles } from '../folder.ts'
import { PAGE_ROWS } from '../limits.ts'
import { json, operations, page } from '../operation.ts'
import { object } from '../schema.ts'
import { merge } from './merge.ts'

/** Folders, from their making to their merge. */
export const FOLDER_OPERATIONS = operations('Storing', {
  'GET /v0/folder': {
    id: 'listFolders',
    summary: 'List your folders',
    description: `Those directly in one folder, or in none, or the first ${PAGE_ROWS} that a name finds; newest first, ${PAGE_ROWS} a page.`,
    token: 'store',
    keys: ['read', 'store'],
    query: FolderQuery.entries,
    answers: { 200: page('A page.', 'folders', Folder) },
  },
  'POST /v0/folder': {
    id: 'createFolder',
    summary: 'Make a folder',
    description:
      'A second request with the same name in the same place returns the same id, unless that folder is merged and `newVersion` requests an open one beside it.',
    token: 'store',
    keys: ['store'],
    idempotent: true,
    body: NewFolder,
    example: { name: 'site', blockchain: 'IPFS' },
    answers: {
      201: json('The folder.', object({ id: FolderId }), { id: '6b01a4cc8a40fc232d317ec6' }),
      409: 'The parent is merged and accepts nothing more, or you have too many empty folders.',
    },
    refuses: [404],
  },
  'GET /v0/folder/{id}': {
    id: 'readFolder',
    summary: 'Look at a folder',
    token: 'store',
    keys: ['read', 'store'],
    path: { id: idOf('folder') },
    answers: { 200: json('The folder.', Folder) },
  },
  'PATCH /v0/folder/{id}': {
    id: 'changeFolder',
    summary: 'Rename or move a folder',
    description: 'Labels only: the stored content does not change. A merged folder and its item are changed together.',
    token: 'store',
    keys: ['store'],
    path: { id: idOf('folder') },
    body: FolderChange,
    example: { name: 'almanac' },
    answers: {
      200: json('The folder.', Folder),
      409: 'It is in a merged folder or would be moved into one; the name exists there; it would be in itself; or the target differs.',
    },
  },
  'DELETE /v0/folder/{id}': {
    id: 'deleteFolder',
    summary: 'Delete an empty folder',
    token: 'store',
    keys: ['store'],
    path: { id: idOf('folder') },
    answers: { 204: 'It is gone.', 409: 'Files or folders are in it, or it is merged.' },
  },
  'POST /v0/folder/{id}/known': {
    id: 'linkKnownFiles',
    summary: 'Link files that your stored items hold',
    description:
      'IPFS only, for a folder that is not merged. Those of these files that are stored in your IPFS items are linked into the folder: they are neither sent nor paid again. Items of others are not used. The folders of the paths must exist.',
    token: 'store',
    keys: ['store'],
    path: { id: idOf('folder') },
    body: OwnFiles,
    example: { files: [{ path: 'css/main.css', size: 1200, sha256: 'a'.repeat(64) }] },
    answers: {
      200: json('The paths of the files that are linked, now or before.', KnownFiles),
      409: 'The folder has been merged, or the account has all that its quota allows.',
    },
  },
  'POST /v0/folder/{id}/merge': merge(
    'folder',
    'Merge a folder',
    'IPFS only: the folder becomes one directory, one item, one CID. The files in it, merged before or not, become part of that item.',
    'Something has to be put right first: chunks are missing (`missing` lists `{id, path, chunks}`), the folder is empty, names collide, or a file is paid for.',
  ),
})
