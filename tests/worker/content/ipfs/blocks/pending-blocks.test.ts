import { env } from 'cloudflare:test'
import { exports } from 'cloudflare:workers'
import type { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import {
  dropAllBlocks,
  pendingBlocks,
  publishBlocks,
} from '../../../../../worker/content/ipfs/blocks/pending-blocks.ts'
import { addFile } from '../../../../../worker/content/ipfs/dag/add-file.ts'
import { randomBytes } from '../dag-fixture.ts'

const MIB = 1024 * 1024
const status = async (cid: CID) => {
  const response = await exports.default.fetch(`https://storage.example/ipfs/${cid}?format=raw`, {
    headers: { 'Cache-Control': 'only-if-cached' },
  })
  await response.arrayBuffer()
  return response.status
}

async function addPending(item: string, bytes = randomBytes(3 * MIB)): Promise<{ root: CID; cids: CID[] }> {
  const sink = pendingBlocks(env.BUCKET, item)
  const cids: CID[] = []
  const recorder = {
    put(cid: CID, block: Uint8Array) {
      cids.push(cid)
      return sink.put(cid, block)
    },
  }
  const { cid: root } = await addFile(
    recorder,
    (async function* () {
      yield bytes
    })(),
  )
  return { root, cids }
}

describe('blocks of an item that is not paid', () => {
  it('are never read by the gateway', async () => {
    const { cids } = await addPending('a'.repeat(24))
    expect(cids).toHaveLength(4)
    for (const cid of cids) expect(await status(cid)).toBe(412)
  })

  it('are leaves of 1 MiB under CIDv1', async () => {
    const { cids } = await addPending('b'.repeat(24))
    expect(cids.map(({ version, code }) => [version, code])).toEqual([
      [1, 0x55],
      [1, 0x55],
      [1, 0x55],
      [1, 0x70],
    ])
  })

  it('are all readable once published, the root last', async () => {
    const item = 'c'.repeat(24)
    const { root, cids } = await addPending(item)
    let calls = 0
    for (;;) {
      calls++
      const { done } = await publishBlocks(env.BUCKET, item, root, 1)
      if (done) break
      expect(await status(root)).toBe(412)
    }
    expect(calls).toBeGreaterThan(2)
    for (const cid of cids) expect(await status(cid)).toBe(200)
    const { objects } = await env.BUCKET.list({ prefix: `ipfs/pending/${item}/` })
    expect(objects).toEqual([])
  })

  it('may be published again, and by two at once', async () => {
    const item = 'd'.repeat(24)
    const { root, cids } = await addPending(item)
    const publish = async () => {
      while (!(await publishBlocks(env.BUCKET, item, root, 3)).done);
    }
    await Promise.all([publish(), publish()])
    await publish()
    for (const cid of cids) expect(await status(cid)).toBe(200)
  })

  it('are published to the end after a crash between copying and deleting', async () => {
    const item = 'e'.repeat(24)
    const { root, cids } = await addPending(item)
    const bucket = new Proxy(env.BUCKET, {
      get(target, name) {
        if (name === 'delete') return () => Promise.reject(new Error('crash'))
        const value: unknown = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    await expect(publishBlocks(bucket, item, root)).rejects.toThrow('crash')
    while (!(await publishBlocks(env.BUCKET, item, root)).done);
    for (const cid of cids) expect(await status(cid)).toBe(200)
  })

  it('are gone once dropped, and publishing then fails', async () => {
    const item = 'f'.repeat(24)
    const { root } = await addPending(item)
    await dropAllBlocks(env.BUCKET, item)
    await dropAllBlocks(env.BUCKET, item)
    await expect(publishBlocks(env.BUCKET, item, root)).rejects.toThrow('neither pending nor published')
  })

  it('stay another item’s when one item with the same content is dropped', async () => {
    const bytes = randomBytes(2 * MIB)
    const one = await addPending('1'.repeat(24), bytes)
    await addPending('2'.repeat(24), bytes)
    await dropAllBlocks(env.BUCKET, '2'.repeat(24))
    while (!(await publishBlocks(env.BUCKET, '1'.repeat(24), one.root)).done);
    expect(await status(one.root)).toBe(200)
  })
})
