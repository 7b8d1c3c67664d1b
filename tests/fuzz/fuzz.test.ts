import './platform.ts'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readIpnsRecord } from '../../worker/content/ipfs/names/fetch-ipns-record.ts'
import { readCorpus } from '../kit/read-corpus.ts'
import { RECORD_KEY } from './ipfs-targets.ts'
import { mutate, seededRandom } from './mutate.ts'
import { faultOf } from './search.ts'
import { runTarget } from './target.ts'
import { TARGETS } from './targets.ts'

describe('R21: the committed inputs', () => {
  it.each(TARGETS)('of $name break nothing', async (target) => {
    for (const { name, bytes } of readCorpus(target.name))
      expect([name, await faultOf(target, bytes)]).toEqual([name, undefined])
  })

  it.each(TARGETS)('are there for $name', (target) => {
    expect(readCorpus(target.name)).not.toEqual([])
  })

  it('include valid records of names, from which the search continues', async () => {
    const signed = readCorpus('ipns-record').filter(
      ({ name }) => name.endsWith('-signatures') || name.endsWith('-signature'),
    )
    expect(signed).toHaveLength(2)
    for (const { bytes } of signed) expect(await readIpnsRecord(RECORD_KEY, bytes)).toMatchObject({ ttl: 60 })
  })

  it('have every bomb that is known', () => {
    const names = (target: string) => readCorpus(target).map(({ name }) => name.replace(/^bomb-/, `${target}: `))
    const bombs = TARGETS.flatMap((target) => names(target.name).filter((name) => name.startsWith(`${target.name}: `)))
    expect(bombs.map((name) => name.replace('dag: ', ''))).toEqual([
      'brotli: zeros',
      'block: nested',
      ...['blake2b', 'blake3', 'cbor-all-links', 'cbor-links', 'cbor-nested', 'cbor-values', 'cbor'],
      ...['comments', 'file-small', 'file', 'html', 'inline-links', 'inline-most', 'json-links'],
      ...['lengths', 'links', 'long-names', 'names', 'shards', 'tree'],
      'redirects-file: splats',
      'range: many',
      'sniff: comments',
      'json: nested',
    ])
  })
})

describe('the search', () => {
  it('changes inputs the same way for the same seed, and within their bound', () => {
    const input = Uint8Array.from({ length: 100 }, (_, index) => index)
    const changed = (seed: number) => {
      const random = seededRandom(seed)
      return Array.from({ length: 200 }, () => mutate(input, input, [new Uint8Array(8)], random))
    }
    expect(changed(7)).toEqual(changed(7))
    expect(changed(7)).not.toEqual(changed(8))
    expect(Math.max(...changed(7).map((bytes) => bytes.length))).toBeLessThanOrEqual(64 * 1024)
  })

  it('counts a refusal as an answer, and any other error as a fault', async () => {
    const throwing = (error: Error) => ({ run: () => Promise.reject(error) })
    const [transaction] = TARGETS
    await expect(runTarget(transaction ?? throwing(new Error()), new Uint8Array(0))).resolves.toBeUndefined()
    await expect(runTarget(throwing(new TypeError('x is not a function')), new Uint8Array(0))).rejects.toThrow(
      TypeError,
    )
  })

  it('finds by coverage what chance alone would not: a fault behind three bytes, one after the other', async () => {
    const { execFile } = await import('node:child_process')
    const { promisify } = await import('node:util')
    const url = (file: string) => JSON.stringify(pathToFileURL(`${import.meta.dirname}/${file}`).href)
    // V8 knows code by the file that it is in: here it must be what Node itself loads.
    const program = `
      import { search } from ${url('search.ts')}
      import { seededRandom } from ${url('mutate.ts')}
      import { run } from ${url('planted-fault.ts')}
      let batches = 0
      const goesOn = () => batches++ < 300
      const options = { folders: [${url('planted-fault.ts')}], random: seededRandom(1), goesOn }
      const { fault } = await search({ name: 'planted', words: [], run }, [new Uint8Array(4)], options)
      process.stdout.write(fault?.error.message ?? 'nothing was found')`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
    expect(stdout).toBe('the planted fault')
  })
})
