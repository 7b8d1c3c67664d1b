import { Decoded } from '../decoded.ts'
import { Blockchain, Content, idOf, named, Txid } from '../fields.ts'
import { MAX_PATH_TXIDS, MAX_PROOF_TXIDS, PROOF_DEPTH } from '../limits.ts'
import { content, json, operations, readable } from '../operation.ts'
import { Proof } from '../proof.ts'
import { integer, noted, optional, text } from '../schema.ts'
import { Chunk } from '../service.ts'

const FAILURES = [422, 451, 502, 504]
const NOT_FOUND = { description: 'A transaction does not exist, or holds no data. No body.' }
const NO_CONTENT = {
  description:
    'A transaction does not exist, or holds no data: then no body. Or there is nothing of that name, or it cannot be verified.',
}
const NO_WEBSITE = {
  description: 'There is no such website, or nothing at that path. No body where a transaction does not exist.',
}
const EXAMPLE = { blockchain: 'Bitcoin', txids: ['4bd1'.repeat(16), '9c0e'.repeat(16)] }
const WEB = content('The content, decoded: as stored Brotli if the client accepts it, else uncompressed.', 'text/html')
const RAW = content('The transactions without witness data, one behind the other.', 'application/octet-stream')
const MOVED =
  'Only for a browser that opens this address as a page (`Sec-Fetch-Mode: navigate`), and only HTML: it has a host of its own.'
const SLASH =
  'What is there is a directory: the same path with a slash at its end, below which its links lead somewhere.'
const BELOW = content('What is at the path, with its own media type.', '*/*')
const path = text('The path of a file or a directory below the root.', { example: 'index.html' })
const blockchain = noted(Blockchain, 'The chain.')
const txids = named(
  'txid',
  text('Transaction ids, joined by commas. A URL can have at least 100 of them; POST accepts up to 15,000.', {
    pattern: '^[0-9a-fA-F]{64}(,[0-9a-fA-F]{64})*$',
  }),
)
const txidsOrName = named(
  'txid',
  text('Transaction ids, joined by commas, of which a URL can have at least 100; or a name.', {
    pattern:
      '^([0-9a-fA-F]{64}(,[0-9a-fA-F]{64})*|[0-9a-fA-F]{64}([+][0-9a-fA-F]{64})*i(0|[1-9][0-9]*)|stamp:[0-9a-fA-F]{64})$',
  }),
)

/** Content of a chain. The routes that are answered from memory check their parameters by hand. */
export const CONTENT_OPERATIONS = operations('Reading from a chain', {
  'POST /v0/blob': {
    id: 'readBlob',
    summary: 'Read content as hex',
    description:
      'The data of every OP_RETURN output of every transaction, in order. What this service stores is Brotli.',
    body: Content,
    example: EXAMPLE,
    answers: { 200: content('The stored bytes in lowercase hex.', 'text/plain'), 404: NOT_FOUND },
    refuses: FAILURES,
  },
  'HEAD /v0/blob/{id}': {
    id: 'headBlob',
    summary: 'Read the headers of an item',
    description:
      'Of a directory on IPFS it says what its index is: its `index.html`, or the page that lists it. Of one on a chain, what its transactions hold: a CAR.',
    path: { id: idOf('item') },
    answers: {
      200: {
        description: 'There is one.',
        headers: {
          'Content-Type': text('Of the content.'),
          'Content-Length': integer('Hex digits of what is stored; on IPFS, of the content.'),
        },
      },
      304: 'Not modified: `If-None-Match` names it.',
      404: { description: 'No such item, or not stored yet.' },
    },
    refuses: [410, ...FAILURES],
  },
  'POST /v0/web': {
    id: 'readWeb',
    summary: 'Read a website',
    description:
      'Of transactions that hold a website with its folders, its `index.html`. One txid alone may be that of an index transaction: then of the content that it names, as `text/html`.',
    body: Content,
    example: EXAMPLE,
    answers: { 200: WEB, 404: NOT_FOUND },
    refuses: FAILURES,
  },
  'GET /v0/web/{blockchain}/{txids}': {
    id: 'readWebByPath',
    summary: 'Read a website, from an address bar',
    description:
      'The storage host answers the same at `/web/{blockchain}/{txids}`. One txid alone may be that of an index transaction: then the content that it names, with the media type that it says. In place of the txids a name of content that others wrote: an inscription or a doginal, `<txid>i<n>`, a doginal with all its transactions, `<txid>+<txid>…i0`, or a stamp, `stamp:<txid>`.',
    path: {
      blockchain,
      txids: txidsOrName,
    },
    query: { raw: optional(text('`1`: of an index transaction its own bytes, not the content that it names.')) },
    answers: {
      ...readable(WEB),
      301: SLASH,
      302: MOVED,
      404: NO_CONTENT,
      406: 'The content has a content coding that is not decoded here.',
    },
    refuses: [400, ...FAILURES],
  },
  'GET /v0/web/{blockchain}/{txids}/{path}': {
    id: 'readWebFile',
    summary: 'Read a file of a website on a chain',
    description: `Of transactions that hold a website with its folders: a CAR of one directory. At most ${MAX_PATH_TXIDS} transaction ids, or one of an index. The storage host answers the same at \`/web/{blockchain}/{txids}/{path}\`.`,
    path: { blockchain, txids, path },
    answers: { ...readable(BELOW), 301: SLASH, 302: MOVED, 404: NO_WEBSITE },
    refuses: [400, ...FAILURES],
  },
  'GET /v0/content/{id}': {
    id: 'readContent',
    summary: 'Read an item',
    description: 'On whichever target it is stored, decoded and with its own media type.',
    path: { id: idOf('item') },
    headers: {
      Range: optional(text('One range of bytes of the decoded content.')),
      'If-None-Match': optional(text('An entity tag.')),
    },
    answers: { ...readable(content('All of it.', '*/*')), 302: MOVED, 404: 'No such item, or not stored yet.' },
    refuses: [410, ...FAILURES],
  },
  'GET /v0/content/{id}/{path}': {
    id: 'readContentFile',
    summary: 'Read a file of a directory',
    description: 'On whichever target the directory is stored.',
    path: { id: idOf('item'), path },
    answers: { ...readable(BELOW), 301: SLASH, 302: MOVED, 404: 'No such item, or nothing at that path.' },
    refuses: [400, 410, ...FAILURES],
  },
  'GET /v0/chunk/{blockchain}/{txid}': {
    id: 'readChunk',
    summary: 'Read the data of one transaction',
    path: { blockchain, txid: noted(Txid, 'One transaction id.') },
    answers: {
      ...readable(json('Its OP_RETURN data.', Chunk)),
      // A part of it is no JSON.
      206: content('The part that `Range` selects.', 'application/json'),
      404: NOT_FOUND,
    },
    refuses: [400, ...FAILURES],
  },
  'GET /v0/tx/{blockchain}/{txids}': {
    id: 'readTransactionsByPath',
    summary: 'Read raw transactions, to verify them yourself',
    path: { blockchain, txids },
    query: {
      any: optional(text('`1`: also transactions without data, at most 120.')),
      parts: optional(
        text(
          '`1`, with `any=1` and one transaction id: the later transactions of the doginal that it begins too, as far as they are proven.',
        ),
      ),
      witness: optional(text('`1`, with `any=1`: with their witnesses, which no txid covers.')),
    },
    answers: { ...readable(RAW), 404: NOT_FOUND },
    refuses: [400, ...FAILURES],
  },
  'GET /v0/proof/{blockchain}/{txids}': {
    id: 'readProof',
    summary: 'Read a proof that blocks have transactions',
    description: `What a reader needs to check that the transactions are mined: their blocks, and where they are in them. \`docs/formats.md\` has the rules. At most ${MAX_PROOF_TXIDS} transaction ids, of at most 32 blocks.`,
    path: { blockchain, txids },
    query: {
      depth: optional(
        text(
          `Headers of each block, its own counted: 1 to ${PROOF_DEPTH.most}, else ${PROOF_DEPTH.usual}. There are fewer where the chain ends.`,
          { pattern: '^([1-9]|1[0-2])$' },
        ),
      ),
      checkpoint: optional(
        text(
          'The height of the checkpoint that the reader has, one below a multiple of 256; else the newest of `/hook.json`. Blocks up to it have a branch to its root in place of headers after them.',
          { pattern: '^[0-9]{1,9}$' },
        ),
      ),
    },
    answers: {
      200: json('The proof.', Proof),
      304: 'Not modified: `If-None-Match` names it. Of a proof that is final.',
      404: 'No block has one of the transactions, or the checkpoint is not known; the message says which.',
    },
    refuses: [400, 451, 502, 504],
  },
  'GET /v0/decode/{blockchain}/{txid}': {
    id: 'decodeTransaction',
    summary: 'List what a transaction holds',
    description:
      'Inscriptions, a doginal, a stamp, and the data of OP_RETURN outputs, whoever wrote them, by the names that `GET /v0/web/{blockchain}/{txids}` takes. Beyond the txid nothing of it is verified here.',
    path: { blockchain, txid: noted(Txid, 'One transaction id.') },
    answers: { 200: json('What it holds.', Decoded), 404: NOT_FOUND },
    refuses: [400, ...FAILURES],
  },
  'POST /v0/tx': {
    id: 'readTransactions',
    summary: 'Read many raw transactions',
    description: 'The double SHA-256 of each, byte-reversed, is its txid.',
    body: Content,
    example: EXAMPLE,
    answers: { 200: RAW, 404: NOT_FOUND },
    refuses: FAILURES,
  },
})
