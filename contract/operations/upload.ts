import { FROM_CURSOR, idOf, named } from '../fields.ts'
import { METADATA_KEYS } from '../item.ts'
import { SHORT_PAGE_ROWS } from '../limits.ts'
import { BINARY, json, type Operation, operations, page } from '../operation.ts'
import { count, noted, optional, text, words } from '../schema.ts'
import { TUS_EXTENSIONS, TUS_VERSION } from '../tus.ts'
import { HeldChunks, Upload } from '../upload.ts'

const path = { id: idOf('upload') }
const VERSION = words([TUS_VERSION], 'The version of tus.')
const OFFSET = { 'Upload-Offset': named('offset', count('The offset at which the upload continues, in bytes.')) }
const EXPIRES = { 'Upload-Expires': text('When it is removed unless bytes are added; RFC 9110, 5.6.7.') }
const KEYS = Object.entries(METADATA_KEYS).map(([field, key]) =>
  field === key ? `\`${key}\`` : `\`${key}\` (${field})`,
)
const bytes = (required: boolean) => ({ required, types: { 'application/offset+octet-stream': BINARY } })
const WRITING = {
  412: 'The client speaks another version of tus; `Tus-Version` says which is spoken here.',
  413: 'More bytes than the upload has, or than any may have.',
  415: 'The body is not sent as `application/offset+octet-stream`.',
  423: 'Another request is writing this upload.',
  503: 'No byte arrived for a while. The bytes that arrived are stored.',
}

const append: Operation = {
  id: 'appendToUpload',
  summary: 'Append bytes to an upload',
  description:
    'Every byte that arrives is stored, even if the connection is cut: HEAD says where to continue. One request at a time writes an upload.',
  token: 'store',
  keys: ['store'],
  path,
  headers: {
    'Tus-Resumable': VERSION,
    'Upload-Offset': named('offset', count('The offset of the body: where the upload continues.')),
  },
  body: bytes(true),
  answers: {
    204: { description: 'The bytes are stored.', headers: { ...OFFSET, ...EXPIRES } },
    409: 'The upload continues at another offset, or is closed.',
    ...WRITING,
  },
  refuses: [400],
}

/** Resumable uploads (https://tus.io/protocols/resumable-upload). */
export const UPLOAD_OPERATIONS = operations('Storing', {
  'GET /v0/upload': {
    id: 'listUploads',
    summary: 'List your unfinished uploads',
    description: `From every device, newest first, ${SHORT_PAGE_ROWS} a page.`,
    token: 'store',
    keys: ['read', 'store'],
    query: FROM_CURSOR,
    answers: { 200: page('A page.', 'uploads', Upload) },
  },
  'POST /v0/upload': {
    id: 'createUpload',
    summary: 'Begin a resumable upload',
    description: `tus ${TUS_VERSION} with ${TUS_EXTENSIONS.join(', ')}: any tus client can send a file of any size that an item may have. OPTIONS lists the extensions. The body may contain the first bytes. The upload is an item: merge it when all is sent. The merge of a CAR imports its blocks, all or none, free of charge; the item is then stored, with the first root as its CID.`,
    token: 'store',
    keys: ['store'],
    headers: {
      'Tus-Resumable': VERSION,
      'Upload-Length': count('Bytes of the whole; a CAR has at least one.'),
      'Upload-Metadata': text(
        `Keys with their values in base 64, for the fields of \`POST /v0/item\`: ${KEYS.join(', ')}; or \`kind\`: \`car\` for a CAR, which needs none of the others and the permission \`import\`. Others are ignored.`,
      ),
    },
    body: bytes(false),
    answers: {
      201: {
        description: 'Begun.',
        headers: { Location: text('Of the upload; its last part is the id.'), ...EXPIRES, ...OFFSET },
      },
      409: 'The folder has been merged, or the account has all that its quota allows.',
      ...WRITING,
    },
    refuses: [400, 404, 422],
  },
  'GET /v0/upload/{id}': {
    id: 'readUpload',
    summary: 'The hashes of what is held of an upload',
    description: 'With them a client checks, before it sends more, whether a file is the one whose upload was begun.',
    token: 'store',
    keys: ['read', 'store'],
    path,
    answers: { 200: json('Whole chunks from the beginning.', HeldChunks), 409: 'The upload is closed.' },
  },
  'HEAD /v0/upload/{id}': {
    id: 'readUploadOffset',
    summary: 'Read where an upload continues',
    token: 'store',
    keys: ['read', 'store'],
    path,
    headers: { 'Tus-Resumable': VERSION },
    answers: {
      200: {
        description: 'The offset.',
        headers: { ...OFFSET, ...EXPIRES, 'Upload-Length': count('Bytes of the whole.') },
      },
      412: WRITING[412],
      423: WRITING[423],
    },
  },
  'PATCH /v0/upload/{id}': append,
  'POST /v0/upload/{id}': {
    ...append,
    id: 'overrideUploadMethod',
    summary: 'PATCH, DELETE or HEAD, for clients that cannot send them',
    headers: {
      'Tus-Resumable': VERSION,
      'X-HTTP-Method-Override': noted(words(['PATCH', 'DELETE', 'HEAD']), 'What is meant; it is answered as that.', {
        example: 'PATCH',
      }),
      'Upload-Offset': optional(named('offset', count('The offset of the body: where the upload continues.'))),
    },
    body: bytes(false),
    answers: { ...append.answers, 200: 'As HEAD.', 405: 'No such method is meant.' },
  },
  'DELETE /v0/upload/{id}': {
    id: 'terminateUpload',
    summary: 'Delete an upload',
    description: 'With all that was sent; also when it is merged, as long as it is unpaid.',
    token: 'store',
    keys: ['store'],
    path,
    headers: { 'Tus-Resumable': VERSION },
    answers: {
      204: 'It is gone.',
      409: 'It is paid for, money has been seen for it, or it is part of a directory.',
      412: WRITING[412],
    },
  },
})
