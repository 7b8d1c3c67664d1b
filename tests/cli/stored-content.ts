import { brotliCompressSync } from 'node:zlib'
import { carOf } from '../kit/car-of.ts'
import { chainContent, chainServer } from '../reader/chain-server.ts'
import { type ApiServer, answerBy, type Route } from './api-server.ts'

/** Has a service hold `content` in transactions of the native chain, and name these for every item. */
export function serveStored(api: ApiServer, content: string): void {
  const transactions = chainContent(brotliCompressSync(Buffer.from(content)), 80)
  const txids = transactions.map(({ txid }) => txid)
  const source = {
    blockchain: 'Nativecoin',
    name: 'a.txt',
    mimetype: 'text/plain',
    size: content.length,
    txids,
    cid: null,
  }
  api.routes.push(
    ['GET', /^\/v0\/tx\/Nativecoin\//, answerBy(chainServer(transactions).fetch)],
    ['GET', /^\/v0\/tx\//, () => ({ status: 404 })],
    ['GET', /^\/v0\/item\/[0-9a-f]{24}\/source$/, () => ({ json: source })],
  )
}

/** The routes of a service that holds a website in transactions of the native chain, and names these for every item. */
export async function routesOfSite(files: Record<string, string>): Promise<Route[]> {
  const transactions = chainContent(await carOf(files), 80)
  const txids = transactions.map(({ txid }) => txid)
  const source = { blockchain: 'Nativecoin', name: 'dist', mimetype: 'inode/directory', size: 9, txids, cid: null }
  return [
    ['GET', /^\/v0\/tx\/Nativecoin\//, answerBy(chainServer(transactions).fetch)],
    ['GET', /^\/v0\/tx\//, () => ({ status: 404 })],
    ['GET', /^\/v0\/item\/[0-9a-f]{24}\/source$/, () => ({ json: source })],
  ]
}
