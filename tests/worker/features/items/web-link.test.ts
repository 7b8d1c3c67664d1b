import { exports } from 'cloudflare:workers'
import { brotliCompressSync } from 'node:zlib'
import type { CID } from 'multiformats/cid'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Item } from '../../../../contract/item.ts'
import { DagFixture } from '../../content/ipfs/dag-fixture.ts'
import { carOf } from '../../content/ipfs/write-car.ts'
import { add, type Row } from '../../rows.ts'
import { store, useScriptedNodes } from '../../scripted-node.ts'
import { signIn } from '../../sign-in.ts'
import { type Api, callApi, noise } from './api.ts'

const node = useScriptedNodes()['nativecoin.test']

let api: Api
let owner: string
beforeAll(async () => {
  const { headers, userId } = await signIn()
  api = callApi(headers)
  owner = userId
})

/** A website of a page and 8,400 bytes; its CAR, its root. */
async function website(name: string): Promise<{ car: Uint8Array; root: CID; dag: DagFixture }> {
  const dag = new DagFixture()
  const root = await dag.addDirectory({ 'index.html': `<!doctype html><title>${name}</title>`, 'x.bin': noise(8400) })
  return { car: brotliCompressSync(await carOf(dag, [root])), root, dag }
}

/** Puts content on the chain in so many transactions. */
function write(content: Uint8Array, transactions: number): string[] {
  const step = Math.ceil(content.length / transactions)
  const long = content.length - (step - 1) * transactions
  return [
    ...store([node], content.subarray(0, long * step), step),
    ...store([node], content.subarray(long * step), step - 1),
  ]
}

/** The link of an item of these columns, and what it answers; nothing where there is none. */
async function webLink(
  columns: Row,
  txids?: readonly string[],
): Promise<{ web: string | null; answers: number | null }> {
  const id = crypto.randomUUID().replaceAll('-', '').slice(0, 24)
  await add('items', { id, user_id: owner, blockchain: 'Nativecoin', status: 200, mimetype: 'text/html', ...columns })
  if (txids) await add('item_txids', { item_id: id, txids: txids.join('') })
  const { links }: Item = await (await api.send('GET', `/item/${id}`)).json()
  if (!links.web) return { web: null, answers: null }
  return { web: links.web, answers: (await exports.default.fetch(links.web, { redirect: 'manual' })).status }
}

describe('the web link of an item', () => {
  for (const count of [1, 100]) {
    it(`is the page of a website in ${count} transactions`, async () => {
      const { car, root } = await website(`${count}`)
      const txids = write(car, count)
      expect(txids).toHaveLength(count)
      expect(await webLink({ directory_of: crypto.randomUUID(), files: 2, cid: String(root) }, txids)).toEqual({
        web: `https://api.example/v0/web/Nativecoin/${txids}/`,
        answers: 200,
      })
    })
  }

  for (const count of [101, 109, 122]) {
    it(`is null for a website in ${count} transactions, below which no path is read`, async () => {
      const { car, root } = await website(`${count}`)
      const link = await webLink({ directory_of: crypto.randomUUID(), files: 2, cid: String(root) }, write(car, count))
      expect(link).toEqual({ web: null, answers: null })
    })
  }

  it('is the page of a website in more transactions once these have an index, null before', async () => {
    const { car, root } = await website('indexed')
    const columns = { directory_of: crypto.randomUUID(), files: 2, cid: String(root), indexed: 1, transactions: 115 }
    expect(await webLink(columns, write(car, 115))).toEqual({ web: null, answers: null })
  })

  it('is a file in as many transactions as an address has room for, null in more', async () => {
    const page = brotliCompressSync(noise(8400))
    expect(await webLink({}, write(page, 116))).toMatchObject({ answers: 200 })
    expect(await webLink({}, write(page, 130))).toEqual({ web: null, answers: null })
  })

  it('is the page of a directory on IPFS, or the file, without a redirect', async () => {
    const { root, dag } = await website('IPFS')
    const file = await dag.addFile('a file')
    await dag.store()
    const directory = { blockchain: 'IPFS', directory_of: crypto.randomUUID(), files: 2, cid: String(root) }
    expect(await webLink(directory)).toMatchObject({ answers: 200 })
    expect(await webLink({ blockchain: 'IPFS', cid: String(file) })).toMatchObject({ answers: 200 })
  })

  for (const status of [402, 409]) {
    it(`is null for an item on IPFS in ${status}, whose blocks nobody reads`, async () => {
      const { root } = await website(`${status}`)
      expect(await webLink({ blockchain: 'IPFS', cid: String(root), status })).toEqual({ web: null, answers: null })
    })
  }
})
