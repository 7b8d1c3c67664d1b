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
  text: 'What a folder becomes: website, one item with all of it, or files, an item each.',
}

export const INDEX: Readonly<Record<string, OptionSpec>> = {
  index: {
    text: 'Write an index, one transaction more by whose txid alone content of several is read: on nativecoin, where it is the default.',
  },
  'no-index': { text: 'Write none.' },
}

export const PAYING: Readonly<Record<string, OptionSpec>> = {
  'pay-from-balance': { text: 'Let the balance of the account pay, if it covers the whole.' },
  'max-fee': {
    value: 'coins',
    text: 'Most that it may cost, fees of everyone included; needed where nobody can be asked.',
  },
  wait: { text: 'Stay until everything is stored: show the payment, follow it and the writing.' },
  'dry-run': { text: 'Say what would be done and what it would cost; create and move nothing.' },
}

export const MIMETYPE: OptionSpec = { value: 'type', text: 'Media type; without it by the ending of the name.' }

export const NAME_OF_CONTENT: ArgumentSpec = {
  name: 'name',
  text: 'Txids joined by commas, or a CID, each with a path if they are a website; - reads them from stdin.',
}

export const CHAIN: OptionSpec = {
  value: 'chain',
  choices: CHAINS,
  text: 'The chain that the txids are of; without it each chain is asked in turn.',
}

export const NODE_COOKIE: OptionSpec = {
  value: 'file',
  text: 'The cookie by which the node that HOOKLINE_NODE names lets its own machine in.',
}

export const RAW: OptionSpec = { text: 'The bytes as they lie on the chain, not decoded by Brotli.' }

export const WHAT: ArgumentSpec = { name: 'what', file: true, text: 'A file, a folder, or - for stdin.' }

export const HIDDEN: OptionSpec = {
  text: 'Take files and folders whose name begins with a dot, too; .well-known is always taken.',
}
