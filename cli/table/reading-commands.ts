import type { Command } from '../run/context.ts'
import { CHAIN, HIDDEN, NAME_OF_CONTENT, NODE_COOKIE, RAW } from './options.ts'

/** Commands that read. They need no account and trust no service. */
export const READING_COMMANDS: readonly Command[] = [
  {
    name: 'get',
    summary: 'Fetch content and verify every byte against its name.',
    details: [
      'Txids and CIDs are verified here: each transaction is hashed to its txid, each block to its CID. For the id of an item the service is asked which txids or CID it is; that answer is printed, and the bytes are verified against it.',
      'Of a website on a chain or a directory of IPFS the folder is written, or the file or folder of it that the path names.',
      'Where HOOKLINE_NODE names a node, with txindex, of the chain that --chain says, transactions come from its RPC and no service is asked. One txid may be that of an index of content in several.',
      'Writes to NAME.part and renames it after the last byte is verified. A second get goes on from the verified part; a file that is the same already is a success.',
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
        text: 'Where to write; - is stdout. Without it the name of the item, or stdout.',
      },
      chain: CHAIN,
      'node-cookie': NODE_COOKIE,
      raw: RAW,
      force: { short: 'f', text: 'Replace a file that is there and different.' },
    },
    examples: [
      'hookline get bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi -o site',
      'hookline get 13edecc69cc9bde02bdfa646f1382aee17f7a83ab7d161a3ec147a0fcd90d293 -o picture.jpg',
      'hookline get 13edecc69cc9bde02bdfa646f1382aee17f7a83ab7d161a3ec147a0fcd90d293/guide/index.html -o guide.html',
    ],
    load: () => import('../commands/get.ts'),
  },
  {
    name: 'verify',
    summary: 'Compare a file with what txids or a CID name.',
    details: [
      'Walks the transactions or the DAG and compares bytes, so that it does not matter which program made the CID. Of a folder the same files are compared that put would store. Ends with 0 when the file is the same, 6 when it differs, 7 when not everything could be fetched.',
    ],
    arguments: [{ name: 'file', file: true, text: 'A file or a folder.' }, NAME_OF_CONTENT],
    options: { chain: CHAIN, 'node-cookie': NODE_COOKIE, raw: RAW, hidden: HIDDEN },
    examples: ['hookline verify picture.jpg 13edecc69cc9bde02bdfa646f1382aee17f7a83ab7d161a3ec147a0fcd90d293'],
    load: () => import('../commands/verify.ts'),
  },
]
