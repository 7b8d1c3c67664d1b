import { STATUS_TEXTS } from '../../items/sql/item-state.ts'
import { object, ref, type Schema } from '../operation.ts'
import { COUNT, coins, OBJECT_ID, seconds, TXID } from './field-schemas.ts'

/** Items, folders, uploads, and what is told of them. */
export const ITEM_SCHEMAS: Record<string, Schema> = {
  ItemStatus: {
    type: 'string',
    enum: STATUS_TEXTS,
    description:
      'Being uploaded; waiting for payment; paid and being written; stored; needing an operator, `message` says why.',
  },
  Item: object(
    {
      id: OBJECT_ID,
      name: { type: 'string' },
      mimetype: { type: 'string', example: 'image/png' },
      blockchain: ref('StorageTarget'),
      folder: { type: ['string', 'null'], description: 'The folder that it lies in.' },
      path: {
        type: ['string', 'null'],
        description: 'Names of the folders that it lies in, the outermost first, joined by `/`.',
      },
      files: { type: ['integer', 'null'], description: 'How many files a merged folder has.' },
      status: ref('ItemStatus'),
      message: { type: ['string', 'null'], description: 'What there is to say of the status.' },
      merging: {
        type: 'boolean',
        const: true,
        description: 'Only while the merge goes on, which has no percentage; the status is still `201 Created`.',
      },
      size: { type: 'integer', description: 'Bytes of the content.' },
      storedSize: {
        type: ['integer', 'null'],
        description: 'Bytes that are stored, from merge on: compressed for a chain, all blocks for IPFS.',
      },
      txids: {
        type: 'array',
        items: TXID,
        description:
          'In order; there once every transaction is confirmed. Lists leave them out where they are more than 100.',
      },
      cid: { type: ['string', 'null'], description: 'Of an IPFS item, from merge on.' },
      transactions: { type: ['integer', 'null'], description: 'Data transactions that it takes, from merge on.' },
      written: { type: 'integer', description: 'Transactions sent to the chain.' },
      confirmed: { type: 'integer', description: 'Transactions with all confirmations.' },
      received: {
        type: 'integer',
        description: 'Bytes that are held of an upload; in the answer of a single item, while it is being uploaded.',
      },
      createdAt: seconds('When it was made'),
      links: object({
        content: { type: 'string', format: 'uri', description: 'The decoded bytes.' },
        web: { type: ['string', 'null'], format: 'uri', description: 'The same by txids or CID; null where too long.' },
        site: { type: 'string', format: 'uri', description: 'The item as a site on an origin of its own.' },
      }),
      embed: { type: ['string', 'null'], description: 'HTML that shows the item, verified by the page helper.' },
    },
    ['txids', 'received', 'merging'],
  ),
  ItemTransaction: object({
    index: { ...COUNT, description: 'From 0, in the order of the content.' },
    txid: { type: ['string', 'null'], description: 'Null until the transaction is deep enough.' },
    bytes: { ...COUNT, description: 'Of the stored content that it carries.' },
    state: {
      type: 'string',
      enum: ['waiting', 'sent', 'confirmed', 'stored'],
      description: 'Not sent yet; sent; in a block; as deep as is needed.',
    },
    depth: { ...COUNT, description: 'Blocks, its own included; 0 in none.' },
    lastSeen: {
      type: ['integer', 'null'],
      description: 'When it was last known to be in the chain or with the node, in Unix seconds.',
    },
  }),
  SiteProblem: object({
    file: { type: 'string', enum: ['_headers', '_redirects'] },
    line: { ...COUNT, description: 'From 1; 0 for the whole file.' },
    text: { type: 'string', description: 'The line, its first 500 characters.' },
    fault: { type: 'string', description: 'A sentence that says what is wrong.' },
    effect: {
      type: 'string',
      enum: ['fails', 'ignored'],
      description: '`fails`: the site answers 500 because of it. `ignored`: the line is passed over.',
    },
  }),
  Folder: object({
    id: OBJECT_ID,
    name: { type: 'string' },
    blockchain: ref('StorageTarget'),
    parent: { type: ['string', 'null'], description: 'The folder that it lies in.' },
    item: { type: ['string', 'null'], description: 'The item that it was merged into.' },
    items: { type: 'integer', description: 'Files in it and below it.' },
    createdAt: seconds('When it was made'),
  }),
  Upload: object({
    id: OBJECT_ID,
    name: { type: 'string' },
    path: { type: ['string', 'null'], description: 'Names of the folders above it, joined by `/`.' },
    mimetype: { type: 'string' },
    blockchain: ref('StorageTarget'),
    folder: { type: ['string', 'null'], description: 'The folder that it lies in.' },
    size: { type: 'integer', minimum: 0 },
    received: { type: 'integer', minimum: 0, description: 'Bytes: where the upload goes on.' },
    createdAt: seconds('When it was begun'),
    expiresAt: seconds('When it is removed unless bytes are added'),
  }),
  Source: object(
    {
      blockchain: ref('StorageTarget'),
      name: { type: 'string' },
      mimetype: { type: 'string' },
      size: { type: 'integer', description: 'Bytes of the content.' },
      txids: { type: 'array', items: TXID, description: 'Of an item on a chain, in order.' },
      cid: { type: 'string', description: 'Of an item on IPFS.' },
    },
    ['txids', 'cid'],
  ),
  Target: object({
    blockchain: ref('StorageTarget'),
    available: { type: 'boolean' },
    reason: { type: ['string', 'null'], description: 'A sentence: why nothing can be stored there now.' },
    paidIn: ref('Blockchain'),
    maxFileBytes: { type: 'integer', description: 'Of a file by its own size; more is refused before the upload.' },
    maxFiles: { type: 'integer', description: 'Of one order, or of one folder on IPFS.' },
    maxDataBytes: { type: ['integer', 'null'], description: 'Data bytes of one transaction; null for IPFS.' },
    confirmations: { type: 'integer', description: 'Depth at which a payment settles.' },
    minutes: { type: 'number', description: 'Usual minutes from a payment until it is written, before its depth.' },
  }),
  Estimate: object(
    {
      blockchain: ref('StorageTarget'),
      paidIn: ref('Blockchain'),
      amount: coins('What it costs at most'),
      networkFee: coins("The network's fees, with a margin"),
      storageFee: coins("This service's price"),
      dustFee: coins('Added because the network relays no smaller output; only where it is more than nothing'),
      transactions: { type: 'integer', description: 'Data transactions at most.' },
      readAt: seconds('When the fee rate was read'),
    },
    ['dustFee'],
  ),
}
