import { Txid } from './fields.ts'
import { count, list, nullable, object, text, words } from './schema.ts'

/** The most that one answer lists. */
export const MAX_DECODED_ITEMS = 256

const Name = text('What `GET /v0/web/<chain>/<name>` takes.')

/** What a transaction holds, whoever wrote it. */
export const Decoded = object({
  txid: Txid,
  items: list(
    object({
      name: Name,
      encoding: words(['inscription', 'doginal', 'stamp', 'op_return', 'runestone'], 'How the transaction has it.'),
      type: nullable(text('The media type.'), 'None where neither the chain nor the bytes say it.'),
      typeFrom: nullable(words(['chain', 'bytes'], 'Who says it.')),
      contentEncoding: nullable(text('The content coding that the chain says, such as `br`.')),
      size: count('Bytes that are stored; of a doginal those in this transaction.'),
      sha256: text('Of these bytes, in hex.', { pattern: '^[0-9a-f]{64}$' }),
      delegate: nullable(Name, 'Whose content is shown in its place.'),
      parents: list(Name, 'At most 100.'),
      metadata: nullable(text('CBOR, in hex.'), 'None where there is none, or too much.'),
      metaprotocol: nullable(text()),
      pointer: nullable(text('A number.', { pattern: '^[0-9]+$' })),
      missing: count('Of a doginal: parts that are in later transactions.'),
      input: nullable(count('The input that has it.')),
      vout: nullable(count('The output that has it; of a stamp none, because it is in several.')),
    }),
    `In their order, at most ${MAX_DECODED_ITEMS}.`,
  ),
})
