import { TUS_EXTENSIONS, TUS_VERSION } from '../items/upload/tus-discovery.ts'
import {
  common,
  empty,
  FROM_CURSOR,
  inHeader,
  inPath,
  json,
  type Operation,
  object,
  type Parameter,
  type Paths,
  page,
  type RequestBody,
  refusal,
  token,
} from './operation.ts'
import { OBJECT_ID } from './schemas/field-schemas.ts'

const tags = ['Storing'] as const
const security = token('store')
const id = inPath('id', 'Of the upload: that of its item.', OBJECT_ID)
const BYTES = { type: 'integer', minimum: 0 }
const OFFSET = { 'Upload-Offset': { description: 'Where the upload goes on, in bytes.', schema: BYTES } }
const EXPIRES = {
  'Upload-Expires': {
    description: 'When it is removed unless bytes are added; RFC 9110, 5.6.7.',
    schema: { type: 'string' },
  },
}
const version: Parameter = {
  ...inHeader('Tus-Resumable', 'The version of tus.', { type: 'string', enum: [TUS_VERSION] }),
  required: true,
}
const offset: Parameter = {
  ...inHeader('Upload-Offset', 'Where the body belongs: where the upload goes on.', BYTES),
  required: true,
}
const bytes = (required: boolean): RequestBody => ({
  required,
  content: { 'application/offset+octet-stream': { schema: { type: 'string', format: 'binary' } } },
})
const WRITING = {
  '412': refusal('The client speaks another version of tus; `Tus-Version` says which is spoken here.'),
  '413': refusal('More bytes than the upload has, or than any may have.'),
  '415': refusal('The body is not sent as `application/offset+octet-stream`.'),
  '423': refusal('Another request is writing this upload.'),
  '503': refusal('No byte arrived for a while. What arrived is kept.'),
}

const append: Operation = {
  tags,
  operationId: 'appendToUpload',
  summary: 'Append bytes to an upload',
  description:
    'What arrives is kept to the byte, even when the connection is cut: HEAD says where to go on. One request at a time writes an upload.',
  security,
  parameters: [id, version, offset],
  requestBody: bytes(true),
  responses: {
    '204': { ...empty('The bytes are kept.'), headers: { ...OFFSET, ...EXPIRES } },
    ...common('400', '401', '403', '404'),
    '409': refusal('The upload goes on at another offset, or is closed.'),
    ...WRITING,
  },
}

/** Resumable uploads (https://tus.io/protocols/resumable-upload). */
export const UPLOAD_PATHS: Paths = {
  '/v0/upload': {
    get: {
      tags,
      operationId: 'listUploads',
      summary: 'List your unfinished uploads',
      description: 'From every device, newest first, 20 a page.',
      security,
      parameters: [FROM_CURSOR],
      responses: {
        '200': page('A page.', 'uploads', 'Upload'),
        ...common('400', '401', '403'),
      },
    },
    post: {
      tags,
      operationId: 'createUpload',
      summary: 'Begin a resumable upload',
      description: `tus ${TUS_VERSION} with ${TUS_EXTENSIONS.join(', ')}: any client that speaks it can send a file of any size that an item may have. OPTIONS says what is offered. The first bytes may come along as the body. The upload is an item: merge it when all is sent. The merge of a CAR takes in its blocks, all or none, free of charge; the item is then stored, with the first root as its CID.`,
      security,
      parameters: [
        version,
        { ...inHeader('Upload-Length', 'Bytes of the whole; a CAR has at least one.', BYTES), required: true },
        {
          ...inHeader(
            'Upload-Metadata',
            'Keys with their values in base 64: `filename`, `filetype` (a media type), `blockchain`, `folder` (an id), or `kind`: `car` for a CAR, which needs none of the others and the permission `import`. Others are ignored.',
          ),
          required: true,
        },
      ],
      requestBody: bytes(false),
      responses: {
        '201': {
          ...empty('Begun.'),
          headers: {
            Location: { description: 'Of the upload; its last part is the id.', schema: { type: 'string' } },
            ...EXPIRES,
            ...OFFSET,
          },
        },
        ...common('400', '401', '403', '404', '422'),
        '409': refusal('The folder has been merged, or the account has all that its quota allows.'),
        ...WRITING,
      },
    },
  },
  '/v0/upload/{id}': {
    get: {
      tags,
      operationId: 'readUpload',
      summary: 'The hashes of what is held of an upload',
      description: 'By them a client tells whether a file is the one that was begun, before it sends more of it.',
      security,
      parameters: [id],
      responses: {
        '200': json(
          'Whole chunks from the beginning.',
          object({
            chunkSize: { ...BYTES, description: 'Bytes of each chunk but the last.' },
            received: { ...BYTES, description: 'Bytes: where the upload goes on.' },
            hashes: {
              type: 'array',
              items: { type: 'string' },
              description: 'SHA-256 as hex, of each whole chunk that is held.',
            },
          }),
        ),
        ...common('401', '403', '404'),
        '409': refusal('The upload is closed.'),
      },
    },
    head: {
      tags,
      operationId: 'readUploadOffset',
      summary: 'Where an upload goes on',
      security,
      parameters: [id, version],
      responses: {
        '200': {
          ...empty('The offset.'),
          headers: {
            ...OFFSET,
            ...EXPIRES,
            'Upload-Length': { description: 'Bytes of the whole.', schema: BYTES },
          },
        },
        ...common('401', '403', '404'),
        '412': WRITING['412'],
        '423': WRITING['423'],
      },
    },
    patch: append,
    post: {
      ...append,
      operationId: 'overrideUploadMethod',
      summary: 'PATCH, DELETE or HEAD, for clients that cannot send them',
      parameters: [
        id,
        version,
        {
          ...inHeader('X-HTTP-Method-Override', 'What is meant; it is answered as that.', {
            type: 'string',
            enum: ['PATCH', 'DELETE', 'HEAD'],
          }),
          required: true,
        },
        { ...offset, required: false },
      ],
      requestBody: bytes(false),
      responses: { ...append.responses, '200': empty('As HEAD.'), '405': refusal('No such method is meant.') },
    },
    delete: {
      tags,
      operationId: 'terminateUpload',
      summary: 'Give up an upload',
      description: 'With all that was sent; also when it is merged, as long as it is unpaid.',
      security,
      parameters: [id, version],
      responses: {
        '204': empty('It is gone.'),
        ...common('401', '403', '404'),
        '409': refusal('It is paid for, money has been seen for it, or it is part of a directory.'),
        '412': WRITING['412'],
      },
    },
  },
}
