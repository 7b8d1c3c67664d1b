import { MAX_FILES } from '../items/merge/merge-limits.ts'
import {
  common,
  FROM_CURSOR,
  idempotent,
  inPath,
  inQuery,
  json,
  jsonBody,
  object,
  type Paths,
  page,
  ref,
  refusal,
  TOKEN_AND_BODY,
  token,
} from './operation.ts'
import { OBJECT_ID } from './schemas/field-schemas.ts'
import { merge, NAME } from './storing-operations.ts'

const tags = ['Storing'] as const

/** Folders, from their making to their merge. */
export const FOLDER_PATHS: Paths = {
  '/v0/folder': {
    get: {
      tags,
      operationId: 'listFolders',
      summary: 'List your folders',
      description: 'Those directly in one folder, or in none; newest first, 50 a page.',
      security: token('store'),
      parameters: [inQuery('parent', 'The id of a folder; `none`, or nothing, for those in none.'), FROM_CURSOR],
      responses: {
        '200': page('A page.', 'folders', 'Folder'),
        ...common('400', '401', '403'),
      },
    },
    post: idempotent({
      tags,
      operationId: 'createFolder',
      summary: 'Make a folder',
      description: 'The same name in the same place again gives the same id.',
      security: token('store'),
      requestBody: jsonBody(
        object(
          {
            name: NAME,
            blockchain: ref('StorageTarget'),
            parent: { oneOf: [OBJECT_ID, { type: 'null' }], description: 'A folder; null is as good as absent.' },
          },
          ['parent'],
        ),
        { name: 'site', blockchain: 'IPFS' },
      ),
      responses: {
        '201': json('The folder.', object({ id: OBJECT_ID }), { id: '6b01a4cc8a40fc232d317ec6' }),
        ...common(...TOKEN_AND_BODY, '404'),
        '409': refusal(
          'The parent has been merged and takes nothing more, or you have too many folders with no file in them.',
        ),
      },
    }),
  },
  '/v0/folder/{id}/known': {
    post: {
      tags,
      operationId: 'linkKnownFiles',
      summary: 'Link files that your stored items hold',
      description:
        'IPFS only, for a folder that is not merged. Of these files, those that stored IPFS items of yours hold are linked into the folder: they are neither sent nor paid for. Nobody else’s items are looked at. Folders on the way must be there.',
      security: token('store'),
      parameters: [inPath('id', 'Of the folder.', OBJECT_ID)],
      requestBody: jsonBody(
        object({
          files: {
            type: 'array',
            minItems: 1,
            maxItems: MAX_FILES,
            items: object({
              path: { type: 'string', minLength: 1, description: 'Below the folder, with slashes.' },
              size: { type: 'integer', minimum: 0 },
              sha256: { type: 'string', pattern: '^[0-9a-fA-F]{64}$', description: 'Of the content, as hex.' },
            }),
          },
        }),
        { files: [{ path: 'css/main.css', size: 1200, sha256: 'a'.repeat(64) }] },
      ),
      responses: {
        '200': json(
          'The paths of the files that are linked, now or before.',
          object({ known: { type: 'array', items: { type: 'string' } } }),
        ),
        ...common(...TOKEN_AND_BODY, '404'),
        '409': refusal('The folder has been merged, or the account has all that its quota allows.'),
      },
    },
  },
  '/v0/folder/{id}/merge': {
    post: merge(
      'mergeFolder',
      'Merge a folder',
      'IPFS only: the folder becomes one directory, one item, one CID. The files in it, merged before or not, become part of that item.',
      'Something has to be put right first: chunks are missing (`missing` lists `{id, path, chunks}`), the folder is empty, names collide, or a file is paid for.',
    ),
  },
}
