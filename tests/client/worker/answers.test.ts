import { brotliCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { literalBrotli } from '../../../protocol/literal-brotli.ts'
import { readWhole } from '../../../reader/read-whole.ts'
import { carOf } from '../../kit/car-of.ts'
import { chainContent } from '../../reader/chain-server.ts'
import { importFiles, TestBlocks } from '../../reader/ipfs-server.ts'
import { hostOf, readBody, SCOPE, workerOf } from './ask-worker.ts'

const API = 'https://api.test'
const content = (length: number) => Uint8Array.from({ length }, (_, index) => (index * 7 + (index >> 8) * 13) & 0xff)

async function onIpfs(length = 20_000, options: Parameters<typeof hostOf>[1] = { car: false }) {
  const blocks = new TestBlocks()
  const cid = await importFiles(blocks, [{ content: content(length) }])
  const host = hostOf({ blocks }, options)
  return { ...workerOf({ [API]: host.fetch }), host, path: `/hookline/ipfs/${cid}`, cid, blocks }
}

function onChain(bytes: Uint8Array, size = 4_000) {
  const transactions = chainContent(new Uint8Array(brotliCompressSync(bytes)), size)
  const host = hostOf({ transactions })
  const txids = transactions.map(({ txid }) => txid)
  return { ...workerOf({ [API]: host.fetch }), host, txids, path: `/hookline/Bitcoin/${txids}` }
}

async function* once(bytes: Uint8Array) {
  yield bytes
}

describe("what the author's worker answers", () => {
  it('is a whole file on IPFS, which is no page and has no other type than it says', async () => {
    const { ask, path, cid } = await onIpfs()
    const response = await ask(path)
    expect([response.status, Object.fromEntries(response.headers)]).toEqual([
      200,
      {
        'accept-ranges': 'bytes',
        'content-length': '20000',
        'content-security-policy': 'sandbox',
        'content-type': 'application/octet-stream',
        etag: `"${cid}"`,
        'x-content-type-options': 'nosniff',
      },
    ])
    expect(await readBody(response)).toEqual({ bytes: Buffer.from(content(20_000)), ended: true })
  })

  it('is a range of it, for which only its blocks are asked', async () => {
    const { ask, path, host } = await onIpfs(100_000)
    const response = await ask(path, { headers: { Range: 'bytes=50500-51499' } })
    expect([response.status, response.headers.get('Content-Range')]).toEqual([206, 'bytes 50500-51499/100000'])
    expect((await readBody(response)).bytes).toEqual(Buffer.from(content(100_000).subarray(50_500, 51_500)))
    // The root without a CAR of it, and two leaves.
    expect(host.requests.filter((one) => one.startsWith('raw'))).toHaveLength(3)
  })

  it.each([
    ['the last bytes', 'bytes=-500', 19_500, 19_999],
    ['what is left from a byte on', 'bytes=19000-', 19_000, 19_999],
    ['the end, where more is asked for', 'bytes=19990-30000', 19_990, 19_999],
  ])('is %s', async (_, range, start, end) => {
    const { ask, path } = await onIpfs()
    const response = await ask(path, { headers: { Range: range } })
    expect([response.status, response.headers.get('Content-Range')]).toEqual([206, `bytes ${start}-${end}/20000`])
    expect((await readBody(response)).bytes).toEqual(Buffer.from(content(20_000).subarray(start, end + 1)))
  })

  it('is 416 for a range outside, from IPFS and from a chain', async () => {
    for (const { ask, path } of [await onIpfs(), onChain(content(20_000))]) {
      const response = await ask(path, { headers: { Range: 'bytes=20000-' } })
      expect([response.status, response.headers.get('Content-Range')]).toEqual([416, 'bytes */20000'])
    }
  })

  it('is the whole where If-Range names other bytes', async () => {
    const { ask, path, cid } = await onIpfs()
    const status = async (etag: string) =>
      (await ask(path, { headers: { Range: 'bytes=0-9', 'If-Range': etag } })).status
    expect([await status('"other"'), await status(`"${cid}"`)]).toEqual([200, 206])
  })

  it('has no body for HEAD', async () => {
    const { ask, path } = await onIpfs()
    const response = await ask(path, { method: 'HEAD' })
    expect([response.status, response.headers.get('Content-Length'), response.body]).toEqual([200, '20000', null])
  })

  it('is decoded content of a chain and a range of it, for which it is fetched once', async () => {
    const { ask, path, host } = onChain(content(20_000))
    expect((await readBody(await ask(path))).bytes).toEqual(Buffer.from(content(20_000)))
    const part = await ask(path, { headers: { Range: 'bytes=15000-15009' } })
    expect((await readBody(part)).bytes).toEqual(Buffer.from(content(20_000).subarray(15_000, 15_010)))
    expect(host.chainRequests).toHaveLength(1)
  })

  it.each([
    ['in parts', 5_000, [[0], [6], [2]]],
    ['as one', Number.POSITIVE_INFINITY, [[0], [12], [6], [2]]],
  ])(
    'is a range of content of a chain, uncompressed %s, for which only its transactions are asked',
    async (_, step, asked) => {
      const bytes = content(60_000)
      const transactions = chainContent(await readWhole(literalBrotli(once(bytes), bytes.length, step)), 5_000)
      const txids = transactions.map(({ txid }) => txid)
      const host = hostOf({ transactions })
      const { ask } = workerOf({ [API]: host.fetch })
      for (const start of [31_000, 12_345]) {
        const response = await ask(`/hookline/Nativecoin/${txids}`, {
          headers: { Range: `bytes=${start}-${start + 999}` },
        })
        expect(response.headers.get('Content-Range')).toBe(`bytes ${start}-${start + 999}/60000`)
        expect((await readBody(response)).bytes).toEqual(Buffer.from(bytes.subarray(start, start + 1000)))
      }
      expect(host.chainRequests.map((request) => request.txids.map((txid) => txids.indexOf(txid)))).toEqual(asked)
    },
  )

  it('is a file of a website on a chain, by its path', async () => {
    const bytes = await carOf({ 'index.html': 'A page', 'css/a.css': 'p { color: red }' })
    const { ask, path } = onChain(bytes)
    const response = await ask(`${path}/css/a.css`)
    expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'text/css'])
    expect(await response.text()).toBe('p { color: red }')
    expect((await ask(`${path}/other.css`)).status).toBe(404)
  })

  it.each([
    ['its path', '/a/clip.mp4', 'video/mp4'],
    ['a script', '/a/module.js', 'text/javascript'],
    ['a playlist', '/a/list.m3u8', 'application/vnd.apple.mpegurl'],
    ['the query, before all else', '/a/clip.mp4?type=audio/mp4', 'audio/mp4'],
  ])('has the media type of %s', async (_, path, type) => {
    const names = ['a/clip.mp4', 'a/module.js', 'a/list.m3u8']
    const blocks = new TestBlocks()
    const root = await importFiles(
      blocks,
      names.map((name) => ({ path: name, content: new TextEncoder().encode(name) })),
    )
    const { ask } = workerOf({ [API]: hostOf({ blocks }).fetch })
    const response = await ask(`/hookline/ipfs/${root}${path}`)
    expect([response.status, response.headers.get('Content-Type')]).toEqual([200, type])
  })

  it('has the media type that its first bytes show, where nothing else says one', async () => {
    const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), content(100)])
    const blocks = new TestBlocks()
    const cid = await importFiles(blocks, [{ content: png }])
    const { ask } = workerOf({ [API]: hostOf({ blocks }).fetch })
    expect((await ask(`/hookline/ipfs/${cid}`)).headers.get('Content-Type')).toBe('image/png')
    expect((await onChain(png).ask(onChain(png).path)).headers.get('Content-Type')).toBe('image/png')
  })
})

describe("what the author's worker refuses", () => {
  it.each([
    'document',
    'frame',
    'iframe',
    'object',
    'embed',
    'worker',
    'sharedworker',
    'serviceworker',
    'audioworklet',
    'paintworklet',
    'manifest',
    'report',
    'xslt',
  ])('is content as %s', async (destination) => {
    const { ask, path, host } = await onIpfs()
    const response = await ask(path, { destination })
    expect([response.status, response.headers.get('Content-Security-Policy')]).toEqual([403, 'sandbox'])
    expect(host.requests).toEqual([])
  })

  it('is a navigation, whatever it calls its destination', async () => {
    const { ask, path } = await onIpfs()
    expect((await ask(path, { destination: '', mode: 'navigate' })).status).toBe(403)
  })

  it('is another method', async () => {
    const { ask, path } = await onIpfs()
    expect((await ask(path, { method: 'POST' })).status).toBe(405)
  })

  it.each([
    ['no chain', '/hookline/Litecoin/aa'],
    ['no txid', '/hookline/Bitcoin/aa'],
    ['no CID', '/hookline/ipfs/aa'],
    ['no media type', `/hookline/Bitcoin/${'a'.repeat(64)}?type=nothing`],
  ])('is what has %s: 400', async (_, path) => {
    const { ask, reports } = await onIpfs()
    expect((await ask(path)).status).toBe(400)
    expect(reports).toHaveLength(1)
  })

  it('is not what is beside its folder: that it does not touch', async () => {
    const { answer } = await onIpfs()
    for (const path of [
      '/',
      '/hookline',
      '/hooklines/a',
      '/a/hookline/ipfs/b',
      'https://other.example/hookline/ipfs/a',
    ]) {
      expect(answer(new URL(path, SCOPE).href)).toBe(undefined)
    }
  })
})
