import { named } from '../fields.ts'
import { CAR_LIMITS } from '../limits.ts'
import { BINARY, content, json, operations } from '../operation.ts'
import { optional, text, words } from '../schema.ts'
import { ImportedCar } from '../service.ts'

/** A CIDv0, or a CIDv1 in a base whose prefix says so, and a path below it. */
const cidPath = named(
  'cid',
  text('A CID, and a path below it.', {
    pattern:
      '^(Qm[1-9A-HJ-NP-Za-km-z]{44}|b[a-z2-7]{20,120}|B[A-Z2-7]{20,120}|z[1-9A-HJ-NP-Za-km-z]{20,120}|k[0-9a-z]{20,120}|f[0-9a-f]{20,200})(/.*)?$',
  }),
)
const BROKEN = {
  416: 'The range is outside the content.',
  500: 'The block is not valid in the codec that its CID names.',
  501: 'The path ends inside of a DAG-JSON or DAG-CBOR block.',
}
/** The parameters and answers of both gateways. */
const gateway = {
  query: {
    format: optional(
      words(
        ['raw', 'car', 'tar', 'dag-json', 'dag-cbor', 'json', 'cbor', 'ipns-record'],
        'Another form than the file itself; `Accept` may ask for it too.',
      ),
    ),
    filename: optional(text('What the file is to be called.')),
    download: optional(words(['true', 'false'], '`true` has a browser save it.')),
  },
  headers: {
    Range: optional(text('Bytes of a file.')),
    'If-None-Match': optional(text('An entity tag.')),
    'Cache-Control': optional(text('`only-if-cached`: 412 for content that is not available locally.')),
  },
  answers: {
    200: content('The file, its directory’s index.html or listing, or the requested format.', '*/*'),
    206: content('The range.', '*/*'),
    301: 'The address of a directory ends in a slash, or the content has an origin of its own.',
    302: 'The same name in the spelling that is used here (`/ipns` only), or, for a browser that opens HTML here as a page, the storage host.',
    304: 'Not modified.',
    406: 'The block has a codec other than the requested format; nothing is converted (IPIP-0524).',
    410: 'The gateway no longer serves this.',
    412: 'Not available locally, and `only-if-cached` was requested.',
    ...BROKEN,
  },
  refuses: [404, 422, 451, 502, 504],
}

/** The gateways, and the import of blocks. */
export const IPFS_OPERATIONS = operations('IPFS', {
  'GET /ipfs/{path}': {
    id: 'readIpfs',
    summary: 'Read from IPFS',
    description:
      'The path and trustless gateways of the IPFS specifications, here and on the storage host. Every block is checked against its CID.',
    path: { path: cidPath },
    ...gateway,
  },
  'GET /ipfs/hex/{path}': {
    id: 'readIpfsHex',
    summary: 'Read from IPFS as hex',
    path: { path: cidPath },
    headers: { Range: optional(text('Bytes of the hex digits.')), 'If-None-Match': optional(text('An entity tag.')) },
    answers: {
      200: content('The file in lowercase hex.', 'text/plain'),
      206: content('The range.', 'text/plain'),
      304: 'Not modified.',
      ...BROKEN,
    },
    refuses: [400, 404, 422, 451, 502, 504],
  },
  'GET /ipns/{path}': {
    id: 'readIpns',
    summary: 'Read by a name of IPNS or DNSLink',
    description: 'Records are verified; names in DNS are resolved over HTTPS.',
    path: { path: text('A name, and a path below it.', { pattern: '^[A-Za-z0-9][A-Za-z0-9.-]{2,252}(/.*)?$' }) },
    ...gateway,
  },
  'POST /v0/ipfs': {
    id: 'importCar',
    summary: 'Import a CAR',
    description:
      'Its blocks can be read when all of them are here, or none. A larger one is uploaded at `/v0/upload` with `kind` `car`.',
    token: 'import',
    body: { required: true, types: { 'application/vnd.ipld.car': BINARY, 'application/octet-stream': BINARY } },
    answers: {
      201: json('All its blocks are stored.', ImportedCar),
      400: 'Not a CAR, or a block does not match its CID. Nothing was stored.',
      413: `Over ${CAR_LIMITS.bytes / 1e6} MB, or more than ${CAR_LIMITS.blocks.toLocaleString('en-US')} blocks.`,
    },
    refuses: [415],
  },
})
