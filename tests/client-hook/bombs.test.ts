import * as dagPb from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import { identity } from 'multiformats/hashes/identity'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { CODEC } from '../../protocol/cid.ts'
import { TestBlocks } from '../reader/ipfs-server.ts'
import {
  type Bombs,
  fileBomb,
  inlineLinksBomb,
  lengthsBomb,
  namesBomb,
  shardBomb,
  treeBomb,
} from '../worker/content/ipfs/bombs.ts'
import { answerBlocks } from './answer-blocks.ts'
import { fill, useLab } from './lab.ts'

const lab = await useLab()

/** What a page may be held, by one task of its thread and by what it keeps. */
const MAX_MS = 200
const MAX_MIB = 64
/** How long after its error a bomb is watched, in ms: a reader that goes on in the background is found out. */
const AFTER_MS = 3000

class BombBlocks extends TestBlocks implements Bombs {
  async putBlock(code: number, bytes: Uint8Array): Promise<CID> {
    const cid = CID.createV1(code, await sha256.digest(bytes))
    this.add(cid, bytes)
    return cid
  }

  /** A file of the links, each with the bytes that it says it stands for. */
  putFile(links: readonly (readonly [CID, number])[]): Promise<CID> {
    const node = new UnixFS({ type: 'file', blockSizes: links.map(([, size]) => BigInt(size)) })
    const Links = links.map(([Hash]) => ({ Name: '', Hash, Tsize: 1 }))
    return this.putBlock(CODEC.dagPb, dagPb.encode({ Data: node.marshal(), Links }))
  }
}

const times = <Value>(length: number, value: Value): Value[] => Array.from({ length }, () => value)

/** One byte, and behind it three levels of 2,000 links each to nothing at all. */
async function nothingBomb(blocks: BombBlocks): Promise<CID> {
  let nothing = await blocks.putBlock(CODEC.raw, new Uint8Array(0))
  for (let level = 0; level < 3; level++) nothing = await blocks.putFile(times(2000, [nothing, 0]))
  return blocks.putFile([
    [await blocks.putBlock(CODEC.raw, new Uint8Array(1)), 1],
    [nothing, 0],
  ])
}

/** A block of 4 MiB that is nothing but links to one byte. */
async function wideBomb(blocks: BombBlocks, size: number): Promise<CID> {
  const leaf = await blocks.putBlock(CODEC.raw, new Uint8Array(size))
  return blocks.putFile(times(80_000, [leaf, size]))
}

/** Nodes of one part each, one below the other. */
async function deepBomb(blocks: BombBlocks): Promise<CID> {
  let cid = await blocks.putBlock(CODEC.raw, new Uint8Array(1))
  for (let level = 0; level < 3000; level++) cid = await blocks.putFile([[cid, 1]])
  return cid
}

/** 100 MiB of the same block, the last of which is nowhere to be had. */
async function longBomb(blocks: BombBlocks): Promise<CID> {
  const leaf = await blocks.putBlock(CODEC.raw, new Uint8Array(1 << 20))
  const gone = CID.createV1(CODEC.raw, await sha256.digest(Uint8Array.of(9)))
  return blocks.putFile([...times<[CID, number]>(100, [leaf, 1 << 20]), [gone, 1]])
}

/** A block of 4 MiB with the shortest links there are, to a CID that carries its byte in itself. */
function inlineBomb(blocks: BombBlocks): Promise<CID> {
  return blocks.putFile(times(280_000, [CID.createV1(CODEC.raw, identity.digest(Uint8Array.of(65))), 1]))
}

const BOMBS: [string, 'file' | 'site', (blocks: BombBlocks) => Promise<CID>][] = [
  ['a sharded directory of seven levels that is one block each', 'site', (blocks) => shardBomb(blocks, 7)],
  ['a file of a billion times one byte', 'file', (blocks) => fileBomb(blocks, new Uint8Array(1), 3, 1000)],
  ['a file of three levels of 2,000 links to nothing', 'file', nothingBomb],
  ['a file of 80,000 links in one block', 'file', (blocks) => wideBomb(blocks, 1)],
  ['a file of 80,000 links in one block to nothing', 'file', (blocks) => wideBomb(blocks, 0)],
  ['a file of 280,000 bytes that stand in its links', 'file', inlineBomb],
  ['a file of 3,000 levels', 'file', deepBomb],
  ['a file of 100 MiB of one block that ends with a missing one', 'file', longBomb],
  ['a file that says how long a million parts are and has none', 'file', (blocks) => lengthsBomb(blocks)],
  ['directories of 200 names for the same, ten deep', 'site', (blocks) => treeBomb(blocks, 10, 200)],
  ['a directory of 340,000 names for nothing', 'site', (blocks) => inlineLinksBomb(blocks, 340_000)],
  ['a directory of long names in 100 shards', 'site', (blocks) => namesBomb(blocks, 100, 1000)],
]

interface TraceEvent {
  name: string
  pid: number
  tid: number
  args: { name?: string }
  /** Time (µs) that the thread itself worked: a machine that does much else makes every task last longer. */
  tdur?: number
}

/** The longest task of a page's thread, in ms. */
function longestTask(trace: string): number {
  const { traceEvents }: { traceEvents: TraceEvent[] } = JSON.parse(trace)
  const threads = traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
  const isPage = ({ pid, tid }: TraceEvent) => threads.some((thread) => thread.pid === pid && thread.tid === tid)
  const tasks = traceEvents.filter((event) => event.name === 'ThreadControllerImpl::RunTask' && isPage(event))
  expect(tasks.length).toBeGreaterThan(0)
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000
}

describe('content of few blocks that means a great deal of work', () => {
  it.each(BOMBS)(
    'such as %s ends, and holds the page no longer than 200 ms and no more than 64 MiB',
    async (_, kind, build) => {
      const blocks = new BombBlocks()
      const root = await build(blocks)
      const small = await blocks.putBlock(CODEC.raw, new TextEncoder().encode('a small file'))
      const page = await lab.open(`<p class="IPFS" data-mimetype="text/plain" data-src="${small}"></p>`)
      try {
        await answerBlocks(page, blocks)
        expect(await fill(page, 'IPFS')).toMatchObject([{ status: 'filled' }])
        const session = await page.context().newCDPSession(page)
        const memory = async () => {
          const usage: { usedSize: number; backingStorageSize?: number } = await session.send('Runtime.getHeapUsage')
          return (usage.usedSize + (usage.backingStorageSize ?? 0)) / 2 ** 20
        }
        await session.send('HeapProfiler.collectGarbage')
        const before = await memory()
        const element = kind === 'site' ? 'iframe' : 'p'
        const type = kind === 'site' ? 'text/html' : 'text/plain'
        await page.evaluate(
          (html) => document.body.append(document.createRange().createContextualFragment(html)),
          `<${element} hidden id="bomb" class="IPFS" data-mimetype="${type}" data-src="${root}"></${element}>`,
        )
        await lab.browser.startTracing(page, { categories: ['toplevel'] })
        const watching = page.evaluate(async (after) => {
          let unheard = 0
          addEventListener('unhandledrejection', () => unheard++)
          await window.hook('IPFS')
          await new Promise((resolve) => setTimeout(resolve, after))
          return unheard
        }, AFTER_MS)
        let done = false
        let most = 0
        const ended = watching.finally(() => {
          done = true
        })
        while (!done) {
          // What waits to be collected is not held.
          if ((await memory()) - before > MAX_MIB / 2) await session.send('HeapProfiler.collectGarbage')
          most = Math.max(most, await memory())
        }
        const unheard = await ended
        const longest = longestTask((await lab.browser.stopTracing()).toString())
        expect.soft(unheard).toBe(0)
        expect.soft(longest).toBeLessThan(MAX_MS)
        expect.soft(most - before).toBeLessThan(MAX_MIB)
      } finally {
        await page.context().close()
      }
    },
  )
})
