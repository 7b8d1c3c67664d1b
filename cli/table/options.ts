import { BLOCKCHAINS } from '../../protocol/chains.ts'
import type { ArgumentSpec, OptionSpec } from './command-spec.ts'

/** Options that several commands share, so that their texts are the same. */

export const CHAINS: readonly string[] = BLOCKCHAINS.map((name) => name.toLowerCase()).sort()
export const TARGETS: readonly string[] = [...CHAINS, 'ipfs']

const alternatives = new Intl.ListFormat('en-GB', { type: 'disjunction' })

/** `a, b or c` */
export function anyOf(names: readonly string[]): string {
  return alternatives.format(names)
}

export const TO: OptionSpec = {
  value: 'target',
  choices: TARGETS,
  text: `Where to store: ${anyOf(TARGETS)}.`,
}

export const AS: OptionSpec = {
  value: 'form',
  choices: ['website', 'files'],
  text: 'What a folder becomes: website (one item) or files (one item for each file).',
}

export const INDEX: Readonly<Record<string, OptionSpec>> = {
  index: {
    text: 'Write an index for content of several transactions: one more transaction, whose txid alone is enough to read it. Only on nativecoin, where it is the default.',
  },
  'no-index': { text: 'Write no index.' },
}

export const CURRENCY: OptionSpec = {
  value: 'code',
  text: 'The currency of the approximate amount beside coins, such as EUR. Default: the first that the service has a price in.',
}

export const PAYING: Readonly<Record<string, OptionSpec>> = {
  'pay-from-balance': { text: 'Pay from the balance of the account, if it covers the whole price.' },
  'max-fee': {
    value: 'coins',
    text: 'The most that it may cost, including all fees; required without a terminal.',
  },
  currency: CURRENCY,
  wait: { text: 'Wait until everything is stored, and show the payment and the progress.' },
  'dry-run': { text: 'Show what would be done and what it would cost; change nothing.' },
}

export const MIMETYPE: OptionSpec = { value: 'type', text: 'Media type. Default: by the file name extension.' }

export const NAME_OF_CONTENT: ArgumentSpec = {
  name: 'name',
  text: 'Txids joined by commas, or a CID, each with a path if they are a website; - reads them from stdin.',
}

export const CHAIN: OptionSpec = {
  value: 'chain',
  choices: CHAINS,
  text: 'The chain of the txids. Default: each chain is asked in turn.',
}

export const NODE_COOKIE: OptionSpec = {
  value: 'file',
  text: 'The cookie file with the credentials of the node in HOOKLINE_NODE.',
}

export const CHECKPOINT: OptionSpec = {
  value: 'file',
  text: 'The checkpoints of chains, as npm run checkpoint writes them. Default: those of the release, if it has any.',
}

export const PROVING: Readonly<Record<string, OptionSpec>> = {
  checkpoint: CHECKPOINT,
  state: {
    value: 'state',
    text: 'What must be proven: buried, or worked with the number of headers that have work, 1 to 12. Default: worked 6.',
  },
}

export const RAW: OptionSpec = { text: 'The bytes as they are on the chain, without decoding Brotli.' }

export const WHAT: ArgumentSpec = { name: 'what', file: true, text: 'A file, a folder, or - for stdin.' }

export const HIDDEN: OptionSpec = {
  text: 'Include files and folders whose name begins with a dot; .well-known is always included.',
}
