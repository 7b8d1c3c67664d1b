import { readFile } from 'node:fs/promises'
import {
  type Coin,
  type Written,
  writeDoginalFrom,
  writeInscription,
  writeMultisigStamp,
  writeStamp,
} from '../../devnet/others/transactions-of-others.ts'
import { toHex } from '../../protocol/bytes.ts'
import type { Blockchain } from '../../protocol/chains.ts'
import { encodeTransaction } from '../../protocol/transaction.ts'
import { callNode, readCoins } from './call-node.ts'

const FILES = new URL('../../examples/others/', import.meta.url)

/** The names of inscriptions, doginals and stamps as other programs would have written them. */
export interface OthersSamples {
  inscription: string
  /** HTML that loads `inscription` from the chain's host. */
  inscribedPage: string
  doginal: string
  /** Of several transactions, all named. */
  doginalOfParts: string
  stamp: string
  multisigStamp: string
}

/** Mines what others write in one block of a chain: an embedded node checks no signature there. */
export async function storeOthers(options: {
  rpcUrl: (blockchain: Blockchain) => string
  onProgress: (text: string) => void
}): Promise<OthersSamples> {
  const file = (name: string) => readFile(new URL(name, FILES))
  options.onProgress('storing examples/others on Bitcoin and Dogecoin')
  const bitcoin = await openBlock(options.rpcUrl('Bitcoin'))
  const dogecoin = await openBlock(options.rpcUrl('Dogecoin'))
  const picture = await file('inscription.svg')
  const inscription = bitcoin.add((coin) => writeInscription(coin, { type: 'image/svg+xml', body: picture }))
  const page = (await file('inscription.html')).toString().replaceAll('{{picture}}', inscription)
  const [text, parts, stamp, multisigStamp] = await Promise.all(
    ['doginal.txt', 'doginal.svg', 'stamp.png', 'multisig-stamp.png'].map(file),
  )
  if (!text || !parts || !stamp || !multisigStamp) throw new Error('A file of examples/others is missing.')
  const samples = {
    inscription,
    inscribedPage: bitcoin.add((coin) => writeInscription(coin, { type: 'text/html;charset=utf-8', body: page })),
    doginal: dogecoin.add((coin) => writeDoginalFrom(coin, { type: 'text/plain;charset=utf-8', body: text })),
    doginalOfParts: dogecoin.add((coin) => writeDoginalFrom(coin, { type: 'image/svg+xml', body: parts })),
    stamp: bitcoin.add((coin) => writeStamp(coin, stamp)),
    multisigStamp: bitcoin.add((coin) => writeMultisigStamp(coin, multisigStamp)),
  }
  await bitcoin.mine()
  await dogecoin.mine()
  return samples
}

/** A block to be mined, each of whose additions spends what the one before left of a coin of the wallet. */
async function openBlock(url: string) {
  let coin: Coin | undefined = readCoins(await callNode(url, 'listunspent', [1])).at(-1)
  const raw: string[] = []
  return {
    add(write: (coin: Coin) => Written): string {
      if (!coin) throw new Error('The wallet has no coin left for the samples.')
      const { transactions, name, change } = write(coin)
      coin = change
      raw.push(...transactions.map((transaction) => toHex(encodeTransaction(transaction))))
      return name
    },
    mine: () => callNode(url, 'devmine', [raw]),
  }
}
