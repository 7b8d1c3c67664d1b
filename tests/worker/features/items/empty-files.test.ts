import { env } from 'cloudflare:workers'
import { createHash } from 'node:crypto'
import { CID } from 'multiformats/cid'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { BLOCKCHAINS, STORAGE_TARGETS } from '../../../../protocol/chains.ts'
import { publishBlocks } from '../../../../worker/content/ipfs/blocks/pending-blocks.ts'
import { signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'
import { askPayment, mergedItem, paidItem, showItem } from '../payments/pay-for-items.ts'
import { type Api, callApi, createItem, uploadItem } from './api.ts'
import { MIB, tusClient } from './upload/tus.ts'

const chain = useDevnet()
const NOTHING = new Uint8Array(0)
/** Of the file that Kubo makes of no byte with raw leaves. */
const EMPTY_CID = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'

let api: Api
beforeEach(async () => {
  api = callApi((await signIn()).headers)
})

const json = async (response: Response | Promise<Response>): Promise<Record<string, unknown>> =>
  await (await response).json()
const ask = (path: string, method = 'GET', headers: Record<string, string> = {}) =>
  api.send(method, `/..${path}`, undefined, headers)

/** A folder of IPFS; its id. */
const makeFolder = async (name: string) =>
  String((await json(api.sendJson('POST', '/folder', { name, blockchain: 'IPFS' }))).id)

/** Makes what was merged readable, as when it was paid for. */
async function publish({ id, cid }: Record<string, unknown>): Promise<void> {
  while (!(await publishBlocks(env.BUCKET, String(id), CID.parse(String(cid)))).done);
  await env.DB.prepare('UPDATE items SET status = 200 WHERE id = ?1 OR part_of = ?1').bind(id).run()
}

describe('a file of 0 bytes on its way in', () => {
  it('has no chunk, and none can be sent', async () => {
    const { id, ...plan } = await createItem(api, { size: 0 })
    expect(plan).toEqual({ chunkSize: MIB, chunks: 0 })
    const refused = await api.send('PUT', `/item/${id}/chunk/0`, new Uint8Array(1))
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { message: expect.stringContaining('has none') },
    ])
  })

  it.each(BLOCKCHAINS)('is merged for %s without a chunk, and kept as the one byte 06', async (blockchain) => {
    const { id } = await createItem(api, { size: 0, blockchain })
    const item = await json(api.send('POST', `/item/${id}/merge`))
    expect(item).toMatchObject({ status: '402 Payment Required', size: 0, storedSize: 1, transactions: 1 })
    expect(Buffer.from((await (await env.BUCKET.get(`stored/${id}`))?.arrayBuffer()) ?? []).toString('hex')).toBe('06')
  })

  it('is merged in a list beside others', async () => {
    const ids = [(await createItem(api, { size: 0 })).id, await uploadItem(api, new Uint8Array([65]))]
    ids.push((await createItem(api, { size: 0, blockchain: 'IPFS' })).id)
    const { items } = await json(api.sendJson('POST', '/item/merge', { items: ids }))
    expect(items).toMatchObject(ids.map((id) => ({ id, item: { status: '402 Payment Required' } })))
  })

  it('is whole by tus as soon as it is begun, and listed until it is merged', async () => {
    const tus = tusClient(api)
    const created = await tus.create(0, { blockchain: 'Nativecoin' })
    expect([created.status, created.headers.get('Upload-Offset')]).toEqual([201, null])
    const id = created.headers.get('Location')?.slice(-24) ?? ''
    const head = await tus.head(id)
    expect([head.headers.get('Upload-Offset'), head.headers.get('Upload-Length')]).toEqual(['0', '0'])
    expect((await tus.patch(id, 0, NOTHING)).status).toBe(204)
    expect((await tus.patch(id, 0, new Uint8Array(1))).status).toBe(413)
    const { uploads } = await json(api.send('GET', '/upload'))
    expect(uploads).toMatchObject([{ id, size: 0, received: 0 }])
    expect(await json(api.send('GET', `/upload/${id}`))).toMatchObject({ received: 0, hashes: [] })
    expect(await json(api.send('POST', `/item/${id}/merge`))).toMatchObject({ status: '402 Payment Required' })
    expect(await json(api.send('GET', '/upload'))).toEqual({ uploads: [] })
  })

  it('may come along with its first bytes by tus, of which there are none', async () => {
    const { readable, writable } = new IdentityTransformStream()
    const [created] = await Promise.all([
      api.send('POST', '/upload', readable, {
        'Tus-Resumable': '1.0.0',
        'Upload-Length': '0',
        'Upload-Metadata': `filename ${btoa('none')},blockchain ${btoa('IPFS')}`,
        'Content-Type': 'application/offset+octet-stream',
      }),
      writable.close(),
    ])
    expect([created.status, created.headers.get('Upload-Offset')]).toEqual([201, '0'])
  })

  it.each(STORAGE_TARGETS)(
    'costs what one transaction costs at least, and no more than was estimated: %s',
    async (to) => {
      const id = await mergedItem(api, to, NOTHING)
      const asked = await askPayment(api, [id], to)
      const files = [{ size: 0, mimetype: 'text/plain' }]
      const estimate = await json(api.sendJson('POST', '/estimate', { blockchain: to, files }))
      expect(estimate).toMatchObject({ transactions: to === 'IPFS' ? 0 : 1 })
      expect(Number(asked.amount)).toBeGreaterThan(0)
      expect(Number(asked.amount)).toBeLessThanOrEqual(Number(estimate.amount))
      if (to === 'IPFS') return
      const one = await askPayment(api, [await mergedItem(api, to, new Uint8Array([65]))], to)
      // A file of 1 byte is stored as 5: one transaction as well.
      expect(Number(asked.networkFee)).toBeGreaterThan(0.9 * Number(one.networkFee))
    },
  )
})

describe.each(BLOCKCHAINS)('a file of 0 bytes on %s', (blockchain) => {
  let id: string
  let txids: string[]
  beforeAll(async () => {
    const owner = callApi((await signIn()).headers)
    id = await paidItem(chain, owner, blockchain, NOTHING)
    await chain.mineAndWork(blockchain, 10)
    const item = await showItem(owner, id)
    expect(item).toMatchObject({ status: '200 OK', txids: [expect.any(String)] })
    txids = Array.isArray(item.txids) ? item.txids.map(String) : []
  })

  it('is one transaction, whose data is 06', async () => {
    expect(await json(ask(`/v0/chunk/${blockchain}/${txids}`))).toEqual({ hex: '06' })
    expect(await (await api.sendJson('POST', '/blob', { blockchain, txids })).text()).toBe('06')
    expect((await ask(`/v0/blob/${id}`, 'HEAD')).headers.get('Content-Length')).toBe('2')
  })

  it.each(['cold', 'warm'])('is served as no byte, and as the stored byte where Brotli is taken: %s', async () => {
    for (const path of [`/v0/content/${id}`, `/v0/web/${blockchain}/${txids}`]) {
      const plain = await ask(path, 'GET', { 'Accept-Encoding': 'identity' })
      expect([plain.status, plain.headers.get('Content-Length'), await plain.text()]).toEqual([200, '0', ''])
      const head = await ask(path, 'HEAD', { 'Accept-Encoding': 'identity' })
      expect([head.status, head.headers.get('Content-Length')]).toEqual([200, '0'])
      const brotli = await ask(path, 'HEAD', { 'Accept-Encoding': 'br' })
      expect([brotli.headers.get('Content-Encoding'), brotli.headers.get('Content-Length')]).toEqual(['br', '1'])
    }
  })

  it.each(['bytes=0-', 'bytes=0-0', 'bytes=-1'])('has no range: %s', async (Range) => {
    for (const method of ['GET', 'HEAD']) {
      const refused = await ask(`/v0/content/${id}`, method, { Range })
      expect([refused.status, refused.headers.get('Content-Range')]).toEqual([416, 'bytes */0'])
      await refused.body?.cancel()
    }
  })
})

describe('a file of 0 bytes on IPFS', () => {
  it('is the file that others make of no byte, and served so', async () => {
    const { id } = await createItem(api, { size: 0, blockchain: 'IPFS', mimetype: 'text/css' })
    const item = await json(api.send('POST', `/item/${id}/merge`))
    expect(item).toMatchObject({ size: 0, storedSize: 0, cid: EMPTY_CID })
    await publish(item)
    for (const path of [`/v0/content/${id}`, `/ipfs/${EMPTY_CID}`, `/ipfs/hex/${EMPTY_CID}`]) {
      const whole = await ask(path)
      expect([path, whole.status, whole.headers.get('Content-Length'), await whole.text()]).toEqual([
        path,
        200,
        '0',
        '',
      ])
      const head = await ask(path, 'HEAD')
      expect([head.status, head.headers.get('Content-Length')]).toEqual([200, '0'])
      for (const Range of ['bytes=0-', 'bytes=-1']) {
        const refused = await ask(path, 'GET', { Range })
        expect([path, refused.status, refused.headers.get('Content-Range')]).toEqual([path, 416, 'bytes */0'])
        await refused.body?.cancel()
      }
    }
    expect((await ask(`/v0/content/${id}`)).headers.get('Content-Type')).toBe('text/css; charset=utf-8')
    expect((await ask(`/v0/blob/${id}`, 'HEAD')).headers.get('Content-Length')).toBe('0')
  })

  it('lies in a folder beside others, or alone', async () => {
    const [mixed, alone] = [await makeFolder('mixed'), await makeFolder('alone')]
    await uploadItem(api, new Uint8Array([65]), { name: 'a', blockchain: 'IPFS', folder: mixed })
    for (const folder of [mixed, alone])
      await createItem(api, { name: '.nojekyll', size: 0, blockchain: 'IPFS', folder })
    for (const [folder, size] of [
      [mixed, 1],
      [alone, 0],
    ] as const) {
      const item = await json(api.send('POST', `/folder/${folder}/merge`))
      expect(item).toMatchObject({ status: '402 Payment Required', size })
      await publish(item)
      const file = await ask(`/ipfs/${item.cid}/.nojekyll`)
      expect([file.status, file.headers.get('ETag'), await file.text()]).toEqual([200, `"${EMPTY_CID}"`, ''])
    }
  })

  it('is linked where the caller has stored it before, and then has no merge of its own', async () => {
    const { id } = await createItem(api, { size: 0, blockchain: 'IPFS' })
    await publish(await json(api.send('POST', `/item/${id}/merge`)))
    const folder = await makeFolder('linked')
    const sha256 = createHash('sha256').digest('hex')
    const files = [{ path: 'py.typed', size: 0, sha256 }]
    expect(await json(api.sendJson('POST', `/folder/${folder}/known`, { files }))).toEqual({ known: ['py.typed'] })
    const link = await env.DB.prepare('SELECT id FROM items WHERE folder_id = ?').bind(folder).first<{ id: string }>()
    const refused = await api.send('POST', `/item/${link?.id}/merge`)
    expect([refused.status, await refused.json()]).toMatchObject([409, { code: 'linked_file' }])
    expect(await json(api.send('GET', '/upload'))).toEqual({ uploads: [] })
    expect(await json(api.send('POST', `/folder/${folder}/merge`))).toMatchObject({ status: '402 Payment Required' })
  })
})
