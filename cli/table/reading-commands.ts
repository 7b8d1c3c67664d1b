import type { Command } from '../run/context.ts'
import { CHAIN, CHECKPOINT, HIDDEN, NAME_OF_CONTENT, NODE_COOKIE, PROVING, RAW } from './options.ts'

/** Commands that read. They need no account and trust no service. */
export const READING_COMMANDS: readonly Command[] = [
  {
    name: 'get',
    summary: 'Download content and verify every byte against its txids or CID.',
    details: [
      'Each transaction is hashed and compared with its txid, each block with its CID. For the id of an item, the service is asked for its txids or CID; they are printed, and the bytes are verified against them.',
      'A website on a chain or a directory on IPFS is written as a folder, with its empty folders, or only the file or folder in it that the path names. Symbolic links are named and left out.',
      'If HOOKLINE_NODE is set to a node with txindex, and --chain to its chain, transactions are read from its RPC and no service is asked. A single txid may be that of an index.',
      'What others wrote is read by a name in the place of the txids: an inscription by <txid>i<n>, a doginal by <txid>+<txid>…i0 with all of its transactions, a stamp by stamp:<txid>. The script of an inscription is compared with the output that commits to it. A doginal may be named by its first transaction alone, <txid>i0: the service finds the later ones, and each must be proven, to six headers of work, by --checkpoint or that of the release.',
      'Writes to NAME.part and renames it after the last byte is verified. A second get resumes after the verified part; a file that is already the same is a success.',
    ],
    arguments: [
      {
        ...NAME_OF_CONTENT,
        text: 'Txids joined by commas or a CID, each with a path if they are a website, or the id of an item; - reads them from stdin.',
      },
    ],
    options: {
      output: {
        value: 'path',
        short: 'o',
        text: 'Where to write; - is stdout. Default: the name of the item, or stdout.',
      },
      chain: CHAIN,
      'node-cookie': NODE_COOKIE,
      checkpoint: CHECKPOINT,
      raw: RAW,
      force: { short: 'f', text: 'Replace an existing file that is different.' },
    },
    examples: [
      'hookline get bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi -o site',
      'hookline get 13edecc69cc9bde02bdfa646f1382aee17f7a83ab7d161a3ec147a0fcd90d293 -o picture.jpg',
      'hookline get 13edecc69cc9bde02bdfa646f1382aee17f7a83ab7d161a3ec147a0fcd90d293/guide/index.html -o guide.html',
      'hookline get 13edecc69cc9bde02bdfa646f1382aee17f7a83ab7d161a3ec147a0fcd90d293i0 --chain bitcoin -o inscription.png',
      'hookline get 13edecc69cc9bde02bdfa646f1382aee17f7a83ab7d161a3ec147a0fcd90d293i0 --chain dogecoin --checkpoint checkpoints.json -o doginal.png',
    ],
    load: () => import('../commands/get.ts'),
  },
  {
    name: 'find',
    summary: 'Find all transactions of a doginal, and print the name that has them.',
    details: [
      'Reads blocks from the node in HOOKLINE_NODE, a Dogecoin node with txindex, and asks no service. The next transaction is the first in chain order whose input 0 spends an output of the last one and goes on with the next part. It is searched in the block of the last one and the 12 after it, 120 blocks in all.',
      'Anybody can write another continuation, which may be mined first: look at what the name shows before you use it.',
    ],
    arguments: [{ name: 'name', text: 'The doginal by its first transaction, <txid>i0; - reads it from stdin.' }],
    options: {
      chain: { value: 'chain', choices: ['dogecoin'], text: 'The chain of the node: only Dogecoin has doginals.' },
      'node-cookie': NODE_COOKIE,
    },
    examples: [
      'hookline find 13edecc69cc9bde02bdfa646f1382aee17f7a83ab7d161a3ec147a0fcd90d293i0 --chain dogecoin',
      'hookline find 13edecc69cc9bde02bdfa646f1382aee17f7a83ab7d161a3ec147a0fcd90d293i0 | hookline get - --chain dogecoin -o picture.png',
    ],
    load: () => import('../commands/find.ts'),
  },
  {
    name: 'prove',
    summary: 'Prove that transactions are mined, and save the proof.',
    details: [
      'Asks the service for the transactions, their blocks and the headers after them, and checks them against a checkpoint, that of the release or of --checkpoint: docs/formats.md has the rules. Nobody is trusted but who made the checkpoint. Of an index its parts are proven too.',
      'hookline verify checks the saved file again, without a network.',
    ],
    arguments: [{ name: 'txids', text: 'Txids joined by commas; - reads them from stdin.' }],
    options: {
      output: { value: 'path', short: 'o', text: 'The file to write, such as content.hookline.' },
      chain: CHAIN,
      ...PROVING,
      force: { short: 'f', text: 'Replace an existing file.' },
    },
    examples: [
      'hookline prove 13edecc69cc9bde02bdfa646f1382aee17f7a83ab7d161a3ec147a0fcd90d293 -o picture.hookline',
      'hookline prove 13edecc69cc9bde02bdfa646f1382aee17f7a83ab7d161a3ec147a0fcd90d293 --checkpoint checkpoints.json --state buried -o picture.hookline',
    ],
    load: () => import('../commands/prove.ts'),
  },
  {
    name: 'verify',
    summary: 'Compare a file with txids or a CID, or check a proof.',
    details: [
      'Walks the transactions or the DAG and compares bytes, so that it does not matter which program made the CID. For a folder each entry of the name must be here, empty folders too, and nothing else; what put leaves out is not counted, and named. The exit code is 0 if the file is the same, 6 if it differs, 7 if something could not be downloaded.',
      'A file .hookline alone is checked against such a checkpoint, without a network: whether its transactions are mined.',
    ],
    arguments: [
      { name: 'file', file: true, text: 'A file or a folder, or a proof of hookline prove, which has no name.' },
      { ...NAME_OF_CONTENT, optional: true },
    ],
    options: { chain: CHAIN, 'node-cookie': NODE_COOKIE, raw: RAW, hidden: HIDDEN, ...PROVING },
    examples: ['hookline verify picture.jpg 13edecc69cc9bde02bdfa646f1382aee17f7a83ab7d161a3ec147a0fcd90d293'],
    load: () => import('../commands/verify.ts'),
  },
]
