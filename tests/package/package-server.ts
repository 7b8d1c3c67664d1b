import { createServer } from 'node:http'
import { brotliCompressSync } from 'node:zlib'
import { FakeApi } from '../client/fake-api.ts'
import { closeServer, listen } from '../kit/loopback-server.ts'
import { chainContent, chainServer } from '../reader/chain-server.ts'
import { importFiles, ipfsServer, TestBlocks } from '../reader/ipfs-server.ts'

export const TEXT = 'Verified in every runtime. '.repeat(40)
export const FILE = 'A file in blocks, one after another. '.repeat(100)

/** A server with chain content, a file on IPFS and the storing part of the API; pages of any origin may ask it. */
export async function startPackageServer(pages: ReadonlyMap<string, { type: string; body: string | Uint8Array }>) {
  const transactions = chainContent(new Uint8Array(brotliCompressSync(TEXT)), 30)
  const blocks = new TestBlocks()
  const cid = await importFiles(blocks, [{ content: new TextEncoder().encode(FILE) }])
  const chain = chainServer(transactions)
  const ipfs = ipfsServer(blocks)
  const api = new FakeApi()
  // Whoever looks at an item finds it stored.
  api.before = ({ method, path }) => {
    const item = api.items.get(path.split('/')[3] ?? '')
    if (method === 'GET' && item) item.status = '200 OK'
    return undefined
  }
  const server = createServer(async (request, response) => {
    const cors = {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Headers': '*',
      'Access-Control-Allow-Methods': '*',
    }
    if (request.method === 'OPTIONS') return response.writeHead(204, cors).end()
    const parts: Uint8Array[] = []
    for await (const part of request) parts.push(part)
    const body = Buffer.concat(parts)
    const url = `http://${request.headers.host}${request.url}`
    const page = pages.get(request.url ?? '')
    if (page) return response.writeHead(200, { 'Content-Type': page.type }).end(page.body)
    const isJson = request.headers['content-type'] === 'application/json'
    const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)])
    const init = {
      method: request.method ?? 'GET',
      headers,
      ...(body.length > 0 && { body: isJson ? body.toString() : body }),
    }
    const path = new URL(url).pathname
    const answer = path.startsWith('/v0/tx')
      ? await chain.fetch(url, init)
      : path.startsWith('/ipfs/')
        ? await ipfs.fetch(url)
        : await api.fetch(url, init)
    const type = answer.headers.get('Content-Type')
    response.writeHead(answer.status, { ...cors, ...(type !== null && { 'Content-Type': type }) })
    return response.end(Buffer.from(await answer.arrayBuffer()))
  })
  return {
    url: `http://127.0.0.1:${await listen(server)}`,
    facts: { txids: transactions.map(({ txid }) => txid), cid: cid.toString(), key: 'hk_test' },
    close: () => closeServer(server),
  }
}
