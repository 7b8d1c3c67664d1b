import type { TextTools } from '../tools.ts'

/** The texts of the field for transactions in English: loaded with it. */
export const decode = ({ counted }: TextTools) => ({
  title: 'What a transaction holds',
  lead: 'Inscriptions, doginals, stamps and data, whoever wrote them. Only the id of the transaction is verified here.',
  chain: 'Its chain',
  txid: 'Id of the transaction',
  wrong: 'The id of a transaction has 64 digits, 0 to 9 and a to f.',
  look: 'Look inside',
  absent: (chain: string) => `${chain} has no transaction with this id.`,
  nothing: 'It holds no content and no data.',
  found: (count: number) => counted(count, 'entry', 'entries'),
  kinds: {
    inscription: 'Inscription',
    doginal: 'Doginal',
    stamp: 'Stamp',
    op_return: 'Data in OP_RETURN',
    runestone: 'Runestone',
  },
  open: 'Open its content',
  unknownType: 'of an unknown type',
  missing: (count: number) => `${counted(count, 'part')} in later transactions`,
  delegate: (name: string) => `Shows the content of ${name}`,
})

export type DecodeTexts = ReturnType<typeof decode>
