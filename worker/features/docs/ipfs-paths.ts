import {
  common,
  content,
  empty,
  inHeader,
  inPath,
  inQuery,
  json,
  type Operation,
  object,
  type Paths,
  refusal,
  token,
} from './operation.ts'

import { PATTERNS } from './patterns.ts'

const tags = ['IPFS'] as const

const FORMATS = ['raw', 'car', 'tar', 'dag-json', 'dag-cbor', 'json', 'cbor', 'ipns-record'] as const

const gateway = (
  operationId: string,
  summary: string,
  description: string,
  path: string,
  pattern: string,
): Operation => ({
  tags,
  operationId,
  summary,
  description,
  parameters: [
    inPath('path', path, { type: 'string', pattern }),
    inQuery('format', 'Another form than the file itself; `Accept` may ask for it too.', {
      type: 'string',
      enum: FORMATS,
    }),
    inQuery('filename', 'What the file is to be called.'),
    inQuery('download', '`true` has a browser save it.', { type: 'string', enum: ['true', 'false'] }),
    inHeader('Range', 'Bytes of a file.'),
    inHeader('If-None-Match', 'An entity tag.'),
    inHeader('Cache-Control', '`only-if-cached`: 412 for what is not here.'),
  ],
  responses: {
    '200': content('The file, its directory’s index.html or listing, or the form asked for.', '*/*'),
    '206': content('The range.', '*/*'),
    '301': empty('The address of a directory ends in a slash, or the content has an origin of its own.'),
    '302': empty(
      'The same name in the spelling that is used here (`/ipns` only), or, for a browser that opens HTML here as a page, the storage host.',
    ),
    '304': empty('Not modified.'),
    '406': refusal('The block has another codec than the format asked for; nothing is converted (IPIP-0524).'),
    '410': refusal('The gateway no longer serves this.'),
    '412': refusal('Not here, and only what is here was asked for.'),
    '416': refusal('The range lies outside.'),
    '500': refusal('The block is not valid in the codec that its CID names.'),
    '501': refusal('The path ends inside of a DAG-JSON or DAG-CBOR block.'),
    ...common('400', '404', '422', '451', '502', '504'),
  },
})

export const IPFS_PATHS: Paths = {
  '/ipfs/{path}': {
    get: gateway(
      'readIpfs',
      'Read from IPFS',
      'The path and trustless gateways of the IPFS specifications, here and on the storage host. Every block is checked against its CID.',
      'A CID, and a path below it.',
      PATTERNS.ipfsPath,
    ),
  },
  '/ipfs/hex/{path}': {
    get: {
      tags,
      operationId: 'readIpfsHex',
      summary: 'Read from IPFS as hex',
      parameters: [
        inPath('path', 'A CID, and a path below it.', { type: 'string', pattern: PATTERNS.ipfsPath }),
        inHeader('Range', 'Bytes of the hex digits.'),
        inHeader('If-None-Match', 'An entity tag.'),
      ],
      responses: {
        '200': content('The file in lowercase hex.', 'text/plain'),
        '206': content('The range.', 'text/plain'),
        '304': empty('Not modified.'),
        '416': refusal('The range lies outside.'),
        '500': refusal('The block is not valid in the codec that its CID names.'),
        '501': refusal('The path ends inside of a DAG-JSON or DAG-CBOR block.'),
        ...common('400', '404', '422', '451', '502', '504'),
      },
    },
  },
  '/ipns/{path}': {
    get: gateway(
      'readIpns',
      'Read by a name of IPNS or DNSLink',
      'Records are verified; names in DNS are looked up over HTTPS.',
      'A name, and a path below it.',
      PATTERNS.ipnsPath,
    ),
  },
  '/v0/ipfs': {
    post: {
      tags,
      operationId: 'importCar',
      summary: 'Import a CAR',
      description:
        'Its blocks can be read when all of them are here, or none. A larger one is uploaded at `/v0/upload` with `kind` `car`.',
      security: token('import'),
      requestBody: {
        required: true,
        content: {
          'application/vnd.ipld.car': { schema: { type: 'string', format: 'binary' } },
          'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
        },
      },
      responses: {
        '201': json(
          'All its blocks are kept.',
          object({
            roots: { type: 'array', items: { type: 'string' } },
            blocks: { type: 'integer' },
            bytes: { type: 'integer' },
          }),
        ),
        ...common('401', '403', '415'),
        '400': refusal('Not a CAR, or a block does not match its CID. Nothing was kept.'),
        '413': refusal('Over 100 MB, or more than 10,000 blocks.'),
      },
    },
  },
}
