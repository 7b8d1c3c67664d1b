import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toHex } from '../../protocol/bytes.ts'
import { reverseHex } from '../../protocol/transaction.ts'
import { checkInChain } from '../../reader/proof/checkpoint.ts'
import { sha256d } from '../../reader/proof/fold-branch.ts'
import { branchAt, treeLevels } from '../../reader/proof/merkle-tree.ts'
import { branchInTiles } from '../../reader/proof/tiles.ts'
import { addCheckpoint } from '../../scripts/checkpoint/checkpoint-file.ts'
import { checkpointHeight, makeCheckpoint } from '../../scripts/checkpoint/make-checkpoint.ts'
import { readTileFile, tileFiles } from '../../scripts/checkpoint/tile-files.ts'
import type { RpcCall, RpcOutcome } from '../../worker/chain/rpc/rpc-transport.ts'
import { makeHeader } from '../reader/proof/make-header.ts'

/** A chain of headers, each of its own time, and how often a node was asked for the hash of each height. */
function chainOf(blocks: number, salt = 0) {
  const headers = Array.from({ length: blocks }, (_, height) => makeHeader({ time: 1_000_000 + height, version: salt }))
  const hashes = headers.map(sha256d)
  const asked: number[] = []
  const call = async (calls: readonly RpcCall[]): Promise<RpcOutcome[]> =>
    calls.map(({ method, params: [param] }) => {
      if (method === 'getblockcount') return { result: blocks - 1 }
      if (method === 'getblockheader') {
        return { result: toHex(headers[hashes.findIndex((hash) => reverseHex(hash) === param)] ?? new Uint8Array()) }
      }
      asked.push(Number(param))
      const hash = hashes[Number(param)]
      return hash ? { result: reverseHex(hash) } : { error: { code: -8, message: 'Block height out of range' } }
    })
  return { call, hashes, asked }
}

describe('a checkpoint', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'checkpoint-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  it.each([
    [354, 100, undefined],
    [355, 100, 255],
    [610, 100, 255],
    [611, 100, 511],
    [495, 240, 255],
  ])('of a chain with tip %i is deep by its coinbase maturity of %i', (tip, maturity, height) => {
    expect(checkpointHeight(tip, maturity)).toBe(height)
  })

  it('pins a chain, each of whose blocks is then proven to be in it', async () => {
    const { call, hashes } = chainOf(1400)
    const checkpoint = await makeCheckpoint('Nativecoin', { call, tiles: tileFiles(folder, 'Nativecoin') })
    expect(checkpoint).toMatchObject({ height: 1279, bits: 0x207fffff, time: 1_001_279 })
    const levels = treeLevels(hashes.slice(0, 1280))
    for (const height of [0, 255, 256, 1279]) {
      const hash = reverseHex(hashes[height] ?? new Uint8Array())
      expect(() => checkInChain({ hash, height, branch: branchAt(levels, height) }, checkpoint)).not.toThrow()
      const found = await branchInTiles(readTileFile(folder, 'Nativecoin'), height, 1279, sha256d)
      expect(found?.branch).toEqual(branchAt(levels, height))
    }
  })

  it('continues where a run ended, with the same root, and asks for no kept hash again', async () => {
    const whole = chainOf(1400)
    const tiles = tileFiles(folder, 'Nativecoin')
    let writes = 0
    const ending = {
      ...tiles,
      write: (rank: number, index: number, hashes: Uint8Array) => tiles.write(rank, index, hashes).then(stopAtThird),
    }
    const stopAtThird = () => {
      if (++writes === 3) throw new Error('ended')
    }
    await expect(makeCheckpoint('Nativecoin', { call: whole.call, tiles: ending })).rejects.toThrow('ended')
    whole.asked.length = 0
    const resumed = await makeCheckpoint('Nativecoin', { call: whole.call, tiles })
    expect(resumed.root).toBe(reverseHex(treeLevels(whole.hashes.slice(0, 1280)).at(-1)?.[0] ?? new Uint8Array()))
    expect(whole.asked.filter((height) => height > 0 && height < 768)).toEqual([255, 511, 767])
  })

  it('is not made over kept hashes of another chain', async () => {
    const tiles = tileFiles(folder, 'Nativecoin')
    await makeCheckpoint('Nativecoin', { call: chainOf(400).call, tiles })
    const other = makeCheckpoint('Nativecoin', { call: chainOf(400, 1).call, tiles })
    await expect(other).rejects.toThrow('delete that folder')
  })

  it('is not made of another network, nor of a short chain', async () => {
    const tiles = tileFiles(folder, 'Bitcoin')
    await expect(makeCheckpoint('Bitcoin', { call: chainOf(400).call, tiles })).rejects.toThrow('another network')
    await expect(makeCheckpoint('Bitcoin', { call: chainOf(300).call, tiles })).rejects.toThrow('too short')
  })

  it('is added to those of other chains in one file', async () => {
    const file = join(folder, 'checkpoints.json')
    const checkpoint = { height: 255, root: 'ab'.repeat(32), bits: 0x1d00ffff, time: 5 }
    await addCheckpoint(file, 'Bitcoin', checkpoint)
    await addCheckpoint(file, 'Nativecoin', { ...checkpoint, height: 511 })
    await addCheckpoint(file, 'Bitcoin', { ...checkpoint, height: 767 })
    const kept: unknown = JSON.parse(await readFile(file, 'utf8'))
    expect(kept).toEqual({ Nativecoin: { ...checkpoint, height: 511 }, Bitcoin: { ...checkpoint, height: 767 } })
  })
})
