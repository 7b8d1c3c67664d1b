import { env, exports } from 'cloudflare:workers'
import { brotliCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { DECLARED, UNDECLARED } from '../../../kit/declared-charsets.ts'
import { storeItem } from '../../../kit/store-item.ts'
import { DagFixture } from '../../content/ipfs/dag-fixture.ts'
import { store, useScriptedNodes } from '../../scripted-node.ts'

const nodes = useScriptedNodes()
const chain = [nodes['nativecoin.test']]

const FILES = { ...DECLARED, ...UNDECLARED }
const ALL = Object.entries(FILES).map(([name, { bytes, type }]) => [name, bytes, type] as const)
const SHAPES: RequestInit[] = [
  {},
  { method: 'HEAD' },
  { headers: { Range: 'bytes=3-5' } },
  { headers: { 'Accept-Encoding': 'br' } },
]
const bare = (type: string) => type.replace(/;.*/, '')

/** The media types that each shape of request gets, once each. */
async function typesOf(url: string): Promise<(string | null)[]> {
  const types = new Set<string | null>()
  for (const init of SHAPES) {
    const response = await exports.default.fetch(url, init)
    types.add(response.ok ? response.headers.get('Content-Type') : `status ${response.status}`)
    await response.body?.cancel()
  }
  return [...types]
}

async function storeOnChain(bytes: Uint8Array, mimetype: string, encoded = true) {
  const txids = store(chain, encoded ? brotliCompressSync(bytes) : bytes, 60)
  return { txids, id: await storeItem(env.DB, { blockchain: 'Nativecoin', mimetype, txids }) }
}

describe('the charset of text', async () => {
  const dag = new DagFixture()
  const directory = await dag.addDirectory(Object.fromEntries(ALL.map(([name, bytes]) => [name, bytes])))
  const files = Object.fromEntries(
    await Promise.all(ALL.map(async ([name, bytes]) => [name, await dag.addFile(bytes)])),
  )
  await dag.store()
  const site = await storeItem(env.DB, { blockchain: 'IPFS', mimetype: 'inode/directory', cid: String(directory) })

  it.each(ALL)('is what the bytes of a website’s %s declare, on every host', async (name, _, type) => {
    for (const url of [
      `https://${site}.storage.example/${name}`,
      `https://storage.example/ipfs/${directory}/${name}`,
      `https://${directory}.ipfs.storage.example/${name}`,
      `https://api.example/v0/content/${site}/${name}`,
    ]) {
      expect([url, await typesOf(url)]).toEqual([url, [type]])
    }
  })

  it.each(ALL)('is what the bytes of a single %s declare, whatever was stored with it', async (name, bytes, type) => {
    for (const mimetype of [bare(type), `${bare(type)}; charset=utf-8`]) {
      const onChain = await storeOnChain(bytes, mimetype)
      const onIpfs = await storeItem(env.DB, { blockchain: 'IPFS', mimetype, cid: String(files[name]) })
      for (const id of [onChain.id, onIpfs]) {
        for (const url of [`https://${id}.storage.example/`, `https://api.example/v0/content/${id}`]) {
          expect([url, await typesOf(url)]).toEqual([url, [type]])
        }
      }
    }
  })

  it.each(ALL.filter(([name]) => name.endsWith('.html')))(
    'is what the bytes of %s declare where a page is named by its transactions',
    async (_, bytes, type) => {
      const { txids } = await storeOnChain(bytes, 'text/html')
      const { txids: plain } = await storeOnChain(bytes, 'text/html', false)
      for (const list of [txids, plain]) {
        const url = `https://api.example/v0/web/Nativecoin/${list.join(',')}`
        expect(await typesOf(url)).toEqual([type])
        const body = JSON.stringify({ blockchain: 'Nativecoin', txids: list })
        const headers = { 'Content-Type': 'application/json' }
        const posted = await exports.default.fetch('https://api.example/v0/web', { method: 'POST', headers, body })
        expect(posted.headers.get('Content-Type')).toBe(type)
      }
    },
  )

  it('is decided on the first 64 KiB of what is larger, wherever it is read from', async () => {
    const text = 'ü'.repeat(700_000)
    const large = new TextEncoder().encode(`x${text}`)
    const later = Uint8Array.of(...new TextEncoder().encode('x'.repeat(65_535)), 0xfc, 0xfc)
    const { id } = await storeOnChain(large, 'text/plain')
    const own = new DagFixture()
    const cids = [await own.addFile(large), await own.addFile(later)]
    await own.store()
    expect(await typesOf(`https://${id}.storage.example/`)).toEqual(['text/plain; charset=utf-8'])
    const [utf8, latin1] = cids.map((cid) => `https://storage.example/ipfs/${cid}?filename=a.txt`)
    expect(await typesOf(utf8 ?? '')).toEqual(['text/plain; charset=utf-8'])
    expect(await typesOf(latin1 ?? '')).toEqual(['text/plain'])
  })
})
