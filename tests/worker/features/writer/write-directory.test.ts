import { env } from 'cloudflare:test'
import { exports } from 'cloudflare:workers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { listName } from '../../../../worker/content/chain/content-record.ts'
import { SITE_PREFIX } from '../../../../worker/content/chain/list-mark.ts'
import { clearMemories } from '../../clear-memories.ts'
import { fetchApi } from '../../fetch-api.ts'
import { clear, list } from '../../rows.ts'
import { useDevnet } from '../../use-devnet.ts'
import { noise, uploadItem } from '../items/api.ts'
import { askPayment, newUser, showItem } from '../payments/pay-for-items.ts'

const chain = useDevnet()
const text = (words: string) => Uint8Array.from(new TextEncoder().encode(words))

/** A folder with a page, a file below it and one of several blocks, paid, as the item that it was merged into. */
async function paidSite(name: string) {
  const { api } = await newUser()
  const makeFolder = async (fields: { name: string; parent?: string }): Promise<string> => {
    const made = await api.sendJson('POST', '/folder', { blockchain: 'Nativecoin', ...fields })
    return (await made.json<{ id: string }>()).id
  }
  const folder = await makeFolder({ name })
  const below = await makeFolder({ name: 'app', parent: folder })
  const add = (path: string, content: Uint8Array<ArrayBuffer>, folder: string, mimetype = 'text/html') =>
    uploadItem(api, content, { name: path, mimetype, blockchain: 'Nativecoin', folder })
  await add('index.html', text(`<h1>${name}</h1>`), folder)
  await add('404.html', text('<h1>not here</h1>'), folder)
  const file = await add('main.js', text(`// ${name}`), below, 'text/javascript')
  await add('large.bin', noise((1 << 20) + 7), folder, 'application/octet-stream')
  const merged = await api.send('POST', `/folder/${folder}/merge`)
  const { id }: { id: string } = await merged.json()
  while ((await api.send('POST', `/item/${id}/merge`)).status === 202) await scheduler.wait(100)
  const { address, amount, confirmations } = await askPayment(api, [id], 'Nativecoin')
  chain.pay('Nativecoin', address, amount)
  chain.mine('Nativecoin', Number(confirmations))
  return { api, id, file, folder }
}

/** Mines until the item is stored. */
async function writeOut({ api, id }: Awaited<ReturnType<typeof paidSite>>): Promise<Record<string, unknown>> {
  for (let blocks = 0; blocks < 100; blocks++) {
    const item = await showItem(api, id)
    if (item.status === '200 OK') return item
    await chain.confirm('Nativecoin')
  }
  throw new Error('not stored after 100 blocks')
}

const get = (path: string) => fetchApi('GET', path)
const bodyOf = async (path: string) => await (await get(path)).text()
const onHost = (id: string, path: string) => exports.default.fetch(`https://${id}.storage.example${path}`)

describe('a folder that is written to a chain', () => {
  it('is one item of txids and a CID, read by either, by its id and on its own host', async () => {
    const site = await paidSite('home')
    const item = await writeOut(site)
    const txids = String(item.txids)
    expect(item).toMatchObject({ cid: expect.stringMatching(/^bafy/), files: 4, index: null })
    expect(item.transactions).toBe(txids.split(',').length + 1)
    expect(item.links).toMatchObject({ web: `https://api.example/v0/web/Nativecoin/${txids}/` })
    const script = '// home'
    expect(await bodyOf(`/v0/web/Nativecoin/${txids}/app/main.js`)).toBe(script)
    expect(await bodyOf(`/ipfs/${item.cid}/app/main.js`)).toBe(script)
    expect(await bodyOf(`/v0/content/${site.id}/app/main.js`)).toBe(script)
    expect(await bodyOf(`/v0/content/${site.file}`)).toBe(script)
    const page = await onHost(site.id, '/')
    expect([page.status, await page.text()]).toEqual([200, '<h1>home</h1>'])
    const missing = await onHost(site.id, '/nowhere')
    expect([missing.status, await missing.text()]).toEqual([404, '<h1>not here</h1>'])
    const large = new Uint8Array(await (await onHost(site.id, '/large.bin')).arrayBuffer())
    expect(Buffer.compare(large, noise((1 << 20) + 7))).toBe(0)
    const head = await fetchApi('HEAD', `/v0/blob/${site.id}`)
    expect(head.headers.get('Content-Type')).toBe('application/vnd.ipld.car')
    expect(head.headers.get('Content-Length')).toBe(String(2 * Number(item.storedSize)))
  })

  it('is read by the txid of its index alone, each of its files', async () => {
    const site = await paidSite('indexed')
    await writeOut(site)
    let item = await showItem(site.api, site.id)
    for (let blocks = 0; blocks < 10 && item.index === null; blocks++) {
      await chain.confirm('Nativecoin')
      item = await showItem(site.api, site.id)
    }
    expect(item.links).toMatchObject({ web: `https://api.example/v0/web/Nativecoin/${item.index}/` })
    expect(await bodyOf(`/v0/web/Nativecoin/${item.index}/app/main.js`)).toBe('// indexed')
    expect(await bodyOf(`/v0/web/Nativecoin/${item.index}/`)).toBe('<h1>indexed</h1>')
  })

  it('is not shown before its payment is written, and its blocks are public when it is', async () => {
    const site = await paidSite('hidden')
    const { cid } = await showItem(site.api, site.id)
    await chain.work('Nativecoin')
    expect((await get(`/v0/content/${site.id}`)).status).toBe(404)
    const pending = async () => (await env.BUCKET.list({ prefix: `ipfs/pending/${site.id}/` })).objects.length
    expect(await pending()).toBeGreaterThan(0)
    await writeOut(site)
    expect(await pending()).toBe(0)
    expect(await bodyOf(`/ipfs/${cid}/`)).toBe('<h1>hidden</h1>')
  })

  it('stops no other item where its blocks are gone, and is recorded as failed', async () => {
    const site = await paidSite('gone')
    const { objects } = await env.BUCKET.list({ prefix: `ipfs/pending/${site.id}/` })
    await env.BUCKET.delete(objects.map(({ key }) => key))
    await chain.mineAndWork('Nativecoin', 12)
    await writeOut(await paidSite('kept'))
    expect(await list('failed_records', 'id')).toEqual([site.id])
    expect(await showItem(site.api, site.id)).toMatchObject({
      status: '202 Accepted',
      message: expect.stringContaining('could not be published'),
    })
    await clear('failed_records', 'writes')
  })

  it('takes three reads of R2 for a file, where nothing else has it: on its host in a folder, by its txids at its root', async () => {
    const site = await paidSite('cold')
    const item = await writeOut(site)
    await chain.work('Nativecoin')
    const list = listName({ blockchain: 'Nativecoin', txids: String(item.txids).split(',') })
    expect(await env.BUCKET.head(SITE_PREFIX + list)).not.toBeNull()
    const { prototype } = Reflect.getPrototypeOf(env.BUCKET)?.constructor ?? {}
    const reads = ['get', 'head'].map((name) => vi.spyOn(prototype, name))
    const edge = vi.spyOn(caches.default, 'match').mockResolvedValue(undefined)
    onTestFinished(() => void [...reads, edge].map((spy) => spy.mockRestore()))
    const readsOf = async (answer: () => Promise<Response>, body: string) => {
      clearMemories()
      for (const spy of reads) spy.mockClear()
      expect(await (await answer()).text()).toBe(body)
      return reads.reduce((sum, { mock }) => sum + mock.calls.length, 0)
    }
    const web = `/v0/web/Nativecoin/${item.txids}`
    // The mark of the list, then a block for each directory on the way, and that of the file.
    expect(await readsOf(() => get(`${web}/index.html`), '<h1>cold</h1>')).toBe(3)
    expect(await readsOf(() => get(`${web}/app/main.js`), '// cold')).toBe(4)
    // Where the item says its CID, no mark is read.
    expect(await readsOf(() => onHost(site.id, '/app/main.js'), '// cold')).toBe(3)
    expect(await readsOf(() => get(`/v0/content/${site.id}/app/main.js`), '// cold')).toBe(3)
  })

  it('is read by its txids when every copy but that of the chain is gone', async () => {
    const site = await paidSite('outlives')
    const item = await writeOut(site)
    for (const prefix of ['ipfs/', 'chain/', 'stored/']) {
      const { objects } = await env.BUCKET.list({ prefix })
      await env.BUCKET.delete(objects.map(({ key }) => key))
    }
    clearMemories()
    expect(await bodyOf(`/v0/web/Nativecoin/${item.txids}/app/main.js`)).toBe('// outlives')
  })

  it('names its files with its own state, and is no answer to whether one of them is stored', async () => {
    const site = await paidSite('known')
    await writeOut(site)
    const file = await showItem(site.api, site.file)
    expect(file).toMatchObject({ status: '200 OK', cid: expect.stringMatching(/^baf/), transactions: 0 })
    const sha256 = Buffer.from(await crypto.subtle.digest('SHA-256', text('// known'))).toString('hex')
    const wanted = { blockchain: 'Nativecoin', files: [{ size: 8, sha256, mimetype: 'text/javascript' }] }
    const answer = await site.api.sendJson('POST', '/item/known', wanted)
    expect(await answer.json()).toEqual({ known: [] })
  })
})
