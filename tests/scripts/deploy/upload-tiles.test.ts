import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { uploadTiles } from '../../../scripts/deploy/upload-tiles.ts'

describe('the tiles of a checkpoint', () => {
  let folder: string
  let sent: string[]
  const put = async (list: string) => {
    const entries: { key: string; file: string }[] = JSON.parse(await readFile(list, 'utf8'))
    for (const { key, file } of entries) sent.push(`${key} ${(await readFile(file)).length}`)
  }
  const write = async (path: string, bytes: number) => {
    await mkdir(join(folder, path, '..'), { recursive: true })
    await writeFile(join(folder, path), new Uint8Array(bytes))
  }

  beforeEach(async () => {
    sent = []
    folder = await mkdtemp(join(tmpdir(), 'tiles-'))
    const checkpoint = { height: 255, root: 'ab'.repeat(32), bits: 0x1d00ffff, time: 5 }
    await writeFile(join(folder, 'checkpoints.json'), JSON.stringify({ Bitcoin: checkpoint }))
    await write('Bitcoin/0/0', 8192)
    await write('Bitcoin/1/0', 32)
    await write('Dogecoin/0/0', 8192)
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('go into the bucket once, those of chains with a checkpoint', async () => {
    expect(await uploadTiles(folder, 'files', put)).toBe(2)
    expect(sent.sort()).toEqual(['proof/Bitcoin/0/0 8192', 'proof/Bitcoin/1/0 32'])
    expect(await uploadTiles(folder, 'files', put)).toBe(0)
    expect(await uploadTiles(folder, 'others', put)).toBe(2)
  })

  it('go again where they have grown', async () => {
    await uploadTiles(folder, 'files', put)
    await write('Bitcoin/0/1', 8192)
    await write('Bitcoin/1/0', 64)
    sent = []
    expect(await uploadTiles(folder, 'files', put)).toBe(2)
    expect(sent.sort()).toEqual(['proof/Bitcoin/0/1 8192', 'proof/Bitcoin/1/0 64'])
  })

  it('go again where an upload failed', async () => {
    await expect(uploadTiles(folder, 'files', () => Promise.reject(new Error('no network')))).rejects.toThrow()
    expect(await uploadTiles(folder, 'files', put)).toBe(2)
  })

  it('are none where no checkpoint was made', async () => {
    expect(await uploadTiles(join(folder, 'nowhere'), 'files', put)).toBe(0)
  })
})
