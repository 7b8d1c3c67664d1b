import { fileURLToPath } from 'node:url'
import * as dagPb from '@ipld/dag-pb'
import { build } from 'esbuild'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { CODEC } from '../../protocol/cid.ts'
import { storeFiles } from '../kit/store-files.ts'
import { storeContent } from '../kit/write-content.ts'
import { TestBlocks } from '../reader/ipfs-server.ts'
import { answerBlocks } from './answer-blocks.ts'
import { fill, useLab } from './lab.ts'
import type { Author } from './node-page.ts'

declare global {
  interface Window {
    /** By node-page.ts. */
    readonly author: Author
  }
}

const lab = await useLab()
/** The script tags of a page with modules of its own. */
let head = ''
let modules = ''
beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('node-page.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
  })
  modules = `<script src="${lab.pages.serve({ body: outputFiles[0]?.text ?? '', type: 'text/javascript' })}"></script>`
  head = `${modules}<script src="${lab.api.url}/hook.js"></script>`
})

const paragraph = (cid: unknown, more = '') =>
  `<p class="IPFS" data-mimetype="text/plain" data-src="${cid}" ${more}>kept</p>`

/** Keys of the page's database: transactions by the CIDs that their txids are. */
const keptKeys = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<string[]>((resolve) => {
        const opening = indexedDB.open('hookline')
        opening.onsuccess = () => {
          const keys = opening.result.transaction('bytes').objectStore('bytes').getAllKeys()
          keys.onsuccess = () => resolve(keys.result.map(String))
        }
      }),
  )

async function putBlock(blocks: TestBlocks, code: number, bytes: Uint8Array): Promise<CID> {
  const cid = CID.createV1(code, await sha256.digest(bytes))
  blocks.add(cid, bytes)
  return cid
}

/** A file of the links, each with the bytes that it says it stands for. */
function putFile(blocks: TestBlocks, links: readonly (readonly [CID, number])[]): Promise<CID> {
  const node = new UnixFS({ type: 'file', blockSizes: links.map(([, size]) => BigInt(size)) })
  const Links = links.map(([Hash]) => ({ Name: '', Hash, Tsize: 1 }))
  return putBlock(blocks, CODEC.dagPb, dagPb.encode({ Data: node.marshal(), Links }))
}

const text = (content: string) => new TextEncoder().encode(content)

describe('the node of the helper', () => {
  it("serves the page's own @helia/unixfs, verified, from the sources and then from what is kept", async () => {
    const { cids } = await storeFiles(lab.worker, { 'a.txt': 'read by the page itself' })
    const page = await lab.open('', { head })
    const read = (cid: string) =>
      page.evaluate(async (name) => {
        const { helia } = await window.hook.node
        if (!helia || !('pins' in helia)) throw new Error('no node')
        const parts: string[] = []
        for await (const part of window.author.unixfs(helia).cat(window.author.CID.parse(name))) {
          parts.push(new TextDecoder().decode(part))
        }
        return parts.join('')
      }, cid)
    const cid = cids['a.txt'] ?? ''
    expect(await read(cid)).toBe('read by the page itself')
    await expect.poll(() => keptKeys(page).then((keys) => keys.length)).toBe(1)
    lab.api.seen.length = 0
    expect(await read(cid)).toBe('read by the page itself')
    expect(lab.api.seen).toEqual([])
  })

  it('is told of a lie on the way, and keeps nothing of it', async () => {
    const { cids } = await storeFiles(lab.worker, { 'lie.txt': 'the truth about this' })
    lab.api.tamper = (path, body) => (path.startsWith('/ipfs/') ? body.map((byte) => byte ^ 1) : undefined)
    const page = await lab.open('', { head })
    const outcome = await page.evaluate(async (name) => {
      const { helia } = await window.hook.node
      if (!helia || !('pins' in helia)) throw new Error('no node')
      try {
        for await (const _ of window.author.unixfs(helia).cat(window.author.CID.parse(name)));
      } catch (error) {
        return String(error)
      }
      return 'read'
    }, cids['lie.txt'] ?? '')
    lab.api.tamper = undefined
    expect(outcome).toContain('Failed to load block')
    expect(await keptKeys(page)).toEqual([])
  })

  it('serves @helia/json and @helia/dag-cbor, and gives back what they add', async () => {
    const page = await lab.open('', { head })
    const found = await page.evaluate(async () => {
      const { helia } = await window.hook.node
      if (!helia || !('pins' in helia)) throw new Error('no node')
      const objects = []
      for (const codec of [window.author.json(helia), window.author.dagCbor(helia)]) {
        objects.push(await codec.get(await codec.add({ hello: ['world'] })))
      }
      return objects
    })
    expect(found).toEqual([{ hello: ['world'] }, { hello: ['world'] }])
    await expect.poll(() => keptKeys(page).then((keys) => keys.length)).toBe(2)
  })

  it('keeps no block that is not what its CID says', async () => {
    const page = await lab.open('', { head })
    const outcome = await page.evaluate(async () => {
      const { helia } = await window.hook.node
      if (!helia || !('pins' in helia)) throw new Error('no node')
      const { CID: Cid, sha256: hasher } = window.author
      const cid = Cid.createV1(0x55, await hasher.digest(Uint8Array.of(1)))
      try {
        await helia.blockstore.put(cid, Uint8Array.of(2))
      } catch (error) {
        return [String(error), await helia.blockstore.has(cid)]
      }
      return ['put']
    })
    expect(outcome).toEqual([expect.stringContaining('is another one'), false])
  })

  it('deletes blocks by gc and deleteMany, and never a transaction', async () => {
    const src = storeContent(lab.worker, 'Bitcoin', 'stays')
    const page = await lab.open(`<p class="Bitcoin" data-mimetype="text/plain" data-src="${src}"></p>`, { head })
    expect(await fill(page, 'Bitcoin')).toMatchObject([{ status: 'filled' }])
    await expect.poll(() => keptKeys(page).then((keys) => keys.length)).toBe(src.length)
    const transactions = (await keptKeys(page)).sort()
    await page.evaluate(async (keys) => {
      const { helia } = await window.hook.node
      if (!helia || !('pins' in helia)) throw new Error('no node')
      const { CID: Cid, json } = window.author
      const bytes = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
      const added = [await json(helia).add({ a: 1 }), await json(helia).add({ b: 2 }), await json(helia).add({ c: 3 })]
      const pinned = added[0]
      if (pinned) for await (const _ of helia.pins.add(pinned));
      const doomed = [...added.slice(1, 2), ...keys.map((key) => Cid.decode(bytes(key.slice(1))))]
      for await (const _ of helia.blockstore.deleteMany(doomed));
      await helia.gc()
      const left = []
      for (const cid of added) left.push(await helia.blockstore.has(cid))
      if (left.join() !== 'true,false,false') throw new Error(`kept: ${left}`)
    }, transactions)
    expect((await keptKeys(page)).filter((key) => key.startsWith('f01b1')).sort()).toEqual(transactions)
  })

  it('fetches a file by one CAR, and block by block only what that lacks', async () => {
    const blocks = new TestBlocks()
    const leaves: [CID, number][] = []
    for (let index = 0; index < 20; index++) {
      leaves.push([await putBlock(blocks, CODEC.raw, text(`part ${String(index).padStart(2)} `)), 8])
    }
    const root = await putFile(blocks, leaves)
    const page = await lab.open(paragraph(root))
    const requests = await answerBlocks(page, blocks)
    expect(await fill(page, 'IPFS')).toMatchObject([{ status: 'filled' }])
    expect(requests).toEqual([`car ${root}`])
  })
})

describe('content that can not be had', () => {
  it('is an error of the element alone, where a block is missing two levels down', async () => {
    const blocks = new TestBlocks()
    const here = await putBlock(blocks, CODEC.raw, text('here'))
    const gone = CID.createV1(CODEC.raw, await sha256.digest(text('gone')))
    const lower = await putFile(blocks, [
      [here, 4],
      [gone, 4],
    ])
    const middle = await putFile(blocks, [[lower, 8]])
    const page = await lab.open(paragraph(await putFile(blocks, [[middle, 8]])))
    await answerBlocks(page, blocks)
    await page.evaluate(() => {
      Reflect.set(window, 'unheard', 0)
      addEventListener('unhandledrejection', () => Reflect.set(window, 'unheard', Reflect.get(window, 'unheard') + 1))
    })
    expect(await fill(page, 'IPFS')).toMatchObject([{ status: 'failed', code: 'not_found' }])
    expect(await page.locator('p').textContent()).toBe('kept')
    // The event is a task of its own.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))
    expect(await page.evaluate(() => Reflect.get(window, 'unheard'))).toBe(0)
  })

  it('is refused where parts are not as long as their parents say, at each level', async () => {
    const blocks = new TestBlocks()
    const leaf = await putBlock(blocks, CODEC.raw, text('12345678'))
    const lying = await putFile(blocks, [[leaf, 7]])
    const swapped = await putFile(blocks, [
      [await putBlock(blocks, CODEC.raw, text('123')), 5],
      [await putBlock(blocks, CODEC.raw, text('12345')), 3],
    ])
    const roots = [lying, swapped, await putFile(blocks, [[lying, 7]]), await putFile(blocks, [[swapped, 8]])]
    const page = await lab.open(roots.map((root) => paragraph(root)).join(''))
    await answerBlocks(page, blocks)
    expect((await fill(page, 'IPFS')).map(({ code }) => code)).toEqual(roots.map(() => 'invalid_dag'))
  })

  it('is unsupported where it is a symbolic link', async () => {
    const blocks = new TestBlocks()
    const link = new UnixFS({ type: 'symlink', data: text('elsewhere') })
    const root = await putBlock(blocks, CODEC.dagPb, dagPb.encode({ Data: link.marshal(), Links: [] }))
    const page = await lab.open(paragraph(root))
    await answerBlocks(page, blocks)
    expect(await fill(page, 'IPFS')).toMatchObject([{ status: 'failed', code: 'unsupported' }])
  })

  it('is too large where a block has more than 4 MiB, whoever says so', async () => {
    const blocks = new TestBlocks()
    const root = await putBlock(blocks, CODEC.raw, new Uint8Array((4 << 20) + 1))
    const page = await lab.open(paragraph(root))
    await answerBlocks(page, blocks)
    expect(await fill(page, 'IPFS')).toMatchObject([{ status: 'failed', code: 'too_large' }])
  })

  it('is refused where a shard has more links than its fanout', async () => {
    const blocks = new TestBlocks()
    const leaf = await putBlock(blocks, CODEC.raw, text('x'))
    const Data = new UnixFS({ type: 'hamt-sharded-directory', fanout: 8n, hashType: 0x22n }).marshal()
    const Links = Array.from({ length: 9 }, (_, index) => ({ Name: `${index}name`, Hash: leaf, Tsize: 1 }))
    const root = await putBlock(blocks, CODEC.dagPb, dagPb.encode({ Data, Links }))
    const page = await lab.open(paragraph(`${root}/name`))
    await answerBlocks(page, blocks)
    expect(await fill(page, 'IPFS')).toMatchObject([{ status: 'failed', code: 'invalid_dag' }])
  })
})

describe('a Helia of the page', () => {
  const helper = (attributes = 'data-node="page"') =>
    `${modules}<script src="${lab.api.url}/hook.js" ${attributes}></script>`
  /** Runs in the page: a Helia whose only source has one block, what `lie` makes of it. */
  const useOwn = (page: Page, content: string, lie = '') =>
    page.evaluate(
      async ([words = '', other = '']) => {
        const { createHeliaLight: create } = window.author
        const encoder = new TextEncoder()
        const asked: string[] = []
        Reflect.set(window, 'asked', asked)
        const broker = {
          name: 'of the test',
          retrieve: async (cid: { toString(): string }) => {
            asked.push(cid.toString())
            return encoder.encode(words)
          },
        }
        const helia = await create({ blockBrokers: [broker] }).start()
        // A node that does not verify, as one may be that a page brings.
        const own = {
          blockstore: {
            async *get(cid: Parameters<typeof helia.blockstore.get>[0]) {
              for await (const part of helia.blockstore.get(cid)) yield other ? encoder.encode(other) : part
            },
          },
        }
        window.hook.use(other ? own : helia)
        return helia === (await window.hook.node).helia
      },
      [content, lie],
    )

  it('is waited for, read by, hashed, and kept', async () => {
    const content = text('from a node of the page')
    const cid = CID.createV1(CODEC.raw, await sha256.digest(content))
    const page = await lab.open(paragraph(cid), { head: helper() })
    expect(await useOwn(page, 'from a node of the page')).toBe(true)
    lab.api.seen.length = 0
    expect(await fill(page, 'IPFS')).toMatchObject([{ status: 'filled' }])
    expect(await page.locator('p').textContent()).toBe('from a node of the page')
    expect(await page.evaluate(() => Reflect.get(window, 'asked'))).toEqual([cid.toString()])
    expect(lab.api.seen.filter(({ path }) => path.startsWith('/ipfs/'))).toEqual([])
    await expect.poll(() => keptKeys(page).then((keys) => keys.length)).toBe(1)
  })

  it('is not believed', async () => {
    const cid = CID.createV1(CODEC.raw, await sha256.digest(text('the truth')))
    const page = await lab.open(paragraph(cid), { head: helper() })
    await useOwn(page, 'the truth', 'a lie')
    expect(await fill(page, 'IPFS')).toMatchObject([{ status: 'failed', code: 'not_verified' }])
    expect(await page.locator('p').textContent()).toBe('kept')
    expect(await keptKeys(page)).toEqual([])
  })

  it('is refused when it comes late, and when it is none', async () => {
    const page = await lab.open('', { head: helper() })
    const outcomes = await page.evaluate(async () => {
      const attempt = (helia: unknown) => {
        try {
          Reflect.apply(window.hook.use, undefined, [helia])
          return 'taken'
        } catch (error) {
          return error instanceof Error || error instanceof DOMException ? `${error.name}: ${error.message}` : ''
        }
      }
      const none = [undefined, {}, { blockstore: {} }].map(attempt)
      const taken = attempt(await window.author.createHeliaLight().start())
      await window.hook.node
      return [...none, taken, attempt(await window.author.createHeliaLight().start())]
    })
    expect(outcomes).toEqual([
      ...Array.from({ length: 3 }, () => 'TypeError: No blockstore.get.'),
      'taken',
      expect.stringMatching(/^InvalidStateError: /),
    ])
  })

  it('that never comes is given up, and the page is told', async () => {
    const page = await lab.open('', { head: `${modules}<script>addEventListener('load', () => {})</script>` })
    await page.clock.install()
    await page.goto(lab.pages.serve({ body: `<!doctype html>${helper()}${paragraph('bafkqaaa')}` }))
    const told = page.evaluate(() => window.hook.node.then(({ error }) => error?.message))
    await expect
      .poll(async () => {
        await page.clock.fastForward(31_000)
        return Promise.race([told, Promise.resolve('')])
      })
      .toContain('window.hook.use')
  })
})
