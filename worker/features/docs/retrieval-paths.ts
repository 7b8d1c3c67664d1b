import {
  common,
  content,
  empty,
  inHeader,
  inPath,
  json,
  jsonBody,
  type Operation,
  object,
  type Paths,
  readable,
  ref,
  refusal,
} from './operation.ts'
import { PATTERNS } from './patterns.ts'
import { OBJECT_ID, TXID } from './schemas/field-schemas.ts'

const tags = ['Reading from a chain'] as const
const NOT_FOUND = empty('A transaction does not exist, or holds no data. No body.')
const FAILURES = common('400', '422', '451', '502', '504')
const BODY = jsonBody(ref('Content'), { blockchain: 'Bitcoin', txids: ['4bd1'.repeat(16), '9c0e'.repeat(16)] })
const blockchain = inPath('blockchain', 'The chain.', ref('Blockchain'))
const txids = inPath(
  'txids',
  'Transaction ids, joined by commas. A URL takes at least 100 of them; longer lists go by POST, up to 15,000.',
  { type: 'string', pattern: PATTERNS.txids },
)
const SENT = common('413', '415')

const WEB = content('The content, decoded: as stored Brotli where the client takes it, raw otherwise.', 'text/html')
const RAW = content('The transactions without witness data, one behind the other.', 'application/octet-stream')

const MOVED = empty(
  'Only for a browser that opens this address as a page (`Sec-Fetch-Mode: navigate`), and only HTML: it has a host of its own.',
)

const byPath = (operationId: string, summary: string, answer: Operation['responses'][string]): Operation => ({
  tags,
  operationId,
  summary,
  parameters: [blockchain, txids],
  responses: { ...readable(answer), ...FAILURES, '404': NOT_FOUND },
})

export const RETRIEVAL_PATHS: Paths = {
  '/v0/blob': {
    post: {
      tags,
      operationId: 'readBlob',
      summary: 'Read content as hex',
      description:
        'The data of every OP_RETURN output of every transaction, in order. What this service stores is Brotli.',
      requestBody: BODY,
      responses: {
        '200': content('The stored bytes in lowercase hex.', 'text/plain'),
        ...FAILURES,
        ...SENT,
        '404': NOT_FOUND,
      },
    },
  },
  '/v0/blob/{id}': {
    head: {
      tags,
      operationId: 'headBlob',
      summary: 'Look at an item before reading it',
      description: 'Of a directory on IPFS it says what its index is: its `index.html`, or the page that lists it.',
      parameters: [inPath('id', 'Of a stored item.', OBJECT_ID)],
      responses: {
        '200': {
          description: 'There is one.',
          headers: {
            'Content-Type': { description: 'Of the content.', schema: { type: 'string' } },
            'Content-Length': {
              description: 'Hex digits of what is stored; on IPFS, of the content.',
              schema: { type: 'integer' },
            },
          },
        },
        '304': empty('Not modified: `If-None-Match` names it.'),
        '404': empty('No such item, or not stored yet.'),
        ...common('422', '451', '502', '504'),
      },
    },
  },
  '/v0/web': {
    post: {
      tags,
      operationId: 'readWeb',
      summary: 'Read a website',
      requestBody: BODY,
      responses: { '200': WEB, ...FAILURES, ...SENT, '404': NOT_FOUND },
    },
  },
  '/v0/web/{blockchain}/{txids}': {
    get: {
      ...byPath('readWebByPath', 'Read a website, from an address bar', WEB),
      description: 'The storage host answers the same at `/web/{blockchain}/{txids}`.',
      responses: { ...byPath('readWebByPath', '', WEB).responses, '302': MOVED },
    },
  },
  '/v0/content/{id}': {
    get: {
      tags,
      operationId: 'readContent',
      summary: 'Read an item',
      description: 'On whichever target it is stored, decoded and with its own media type.',
      parameters: [
        inPath('id', 'Of a stored item.', OBJECT_ID),
        inHeader('Range', 'One range of bytes of the decoded content.'),
        inHeader('If-None-Match', 'An entity tag.'),
      ],
      responses: {
        ...readable(content('All of it.', '*/*')),
        '302': MOVED,
        '404': refusal('No such item, or not stored yet.'),
        ...common('422', '451', '502', '504'),
      },
    },
  },
  '/v0/chunk/{blockchain}/{txid}': {
    get: {
      tags,
      operationId: 'readChunk',
      summary: 'Read the data of one transaction',
      parameters: [blockchain, inPath('txid', 'One transaction id.', TXID)],
      responses: {
        ...readable(json('Its OP_RETURN data.', object({ hex: { type: 'string' } }))),
        // A part of it is no JSON.
        '206': content('The part that `Range` asks for.', 'application/json'),
        ...FAILURES,
        '404': NOT_FOUND,
      },
    },
  },
  '/v0/tx/{blockchain}/{txids}': {
    get: byPath('readTransactionsByPath', 'Read raw transactions, to verify them yourself', RAW),
  },
  '/v0/tx': {
    post: {
      tags,
      operationId: 'readTransactions',
      summary: 'Read many raw transactions',
      description: 'The double SHA-256 of each, byte-reversed, is its txid.',
      requestBody: BODY,
      responses: { '200': RAW, ...FAILURES, ...SENT, '404': NOT_FOUND },
    },
  },
}
