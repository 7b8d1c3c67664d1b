import { env } from 'cloudflare:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import type { DeniedKind } from '../../../../contract/states.ts'
import {
  commitTo,
  type EnvelopeFields,
  input,
  push,
  transactionOf,
  writeDoginal,
  writeEnvelope,
} from '../../../../devnet/others/write-inscription.ts'
import { writeOlga } from '../../../../devnet/others/write-stamp-outputs.ts'
import { concatBytes, toHex } from '../../../../protocol/bytes.ts'
import { encodeTransaction, type Transaction, transactionId, txidBytes } from '../../../../protocol/transaction.ts'
import { parseDeniedValue } from '../../../../worker/content/denylist/denied-value.ts'
import { expireDenylist } from '../../../../worker/content/denylist/denylist.ts'
import { insertDenied } from '../../../../worker/features/reports/sql/deny.ts'
import { clearMemories } from '../../clear-memories.ts'
import { type ScriptedNode, useScriptedNodes } from '../../scripted-node.ts'
import { code, get } from '../chain/retrieval/ask.ts'

const nodes = useScriptedNodes()
const bitcoin = nodes['bitcoin-a.test']
const dogecoin = nodes['dogecoin.test']

function give(node: ScriptedNode, transaction: Transaction): string {
  const txid = transactionId(encodeTransaction(transaction, { witness: false }))
  node.transactions.set(txid, toHex(encodeTransaction(transaction)))
  return txid
}

/** Stores an inscription with its commit transaction; `spoil` changes the witness, which no txid covers. */
function inscribe(fields: EnvelopeFields, spoil = (witness: Uint8Array[]) => witness): string {
  const script = writeEnvelope(fields)
  const { output, controlBlock } = commitTo(script)
  const commit = give(
    bitcoin,
    transactionOf([input({ txid: crypto.randomUUID().replaceAll('-', '').repeat(2), vout: 0 })], [output]),
  )
  return give(bitcoin, transactionOf([input({ txid: commit, vout: 0 }, { witness: spoil([script, controlBlock]) })]))
}

async function deny(kind: DeniedKind, value: string): Promise<void> {
  await insertDenied(env.DB, { ...parseDeniedValue(kind, value), reason: 'test', deniedBy: 'moderator' }, 1)
  expireDenylist()
}

const text = () => `text ${crypto.randomUUID()}`

describe('an inscription', () => {
  it('is answered with the media type that the chain says, and in a sandbox', async () => {
    const body = text()
    const txid = inscribe({ type: 'text/plain;charset=utf-8', body })
    const response = await get(`/v0/web/Bitcoin/${txid}i0`)
    expect(response.status).toBe(200)
    expect(await response.text()).toBe(body)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/plain;charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable, no-transform',
      'content-security-policy': 'sandbox allow-scripts allow-forms allow-popups',
    })
    const etag = response.headers.get('ETag') ?? ''
    expect((await get(`/v0/web/Bitcoin/${txid}i0`, { headers: { 'If-None-Match': etag } })).status).toBe(304)
    const part = await get(`/v0/web/Bitcoin/${txid}i0`, { headers: { Range: 'bytes=0-3' } })
    expect([part.status, await part.text()]).toEqual([206, 'text'])
  })

  it('is read from the node once, then from memory and the bucket', async () => {
    const txid = inscribe({ type: 'text/plain', body: text() })
    const asked = bitcoin.requests.length
    await (await get(`/v0/web/Bitcoin/${txid}i0`)).text()
    expect(bitcoin.requests.length - asked).toBe(2)
    const again = await get(`/v0/web/Bitcoin/${txid}i0`)
    expect(again.headers.get('Server-Timing')).toContain('memory')
    clearMemories()
    const stored = await get(`/v0/web/Bitcoin/${txid}i0`)
    expect(stored.headers.get('Server-Timing')).toContain('r2')
    expect(bitcoin.requests.length - asked).toBe(2)
  })

  it('of which a node altered a byte, or the control block, is not shown', async () => {
    const alter = (bytes: Uint8Array, at: number) => bytes.with(at, (bytes.at(at) ?? 0) ^ 1)
    const txids = [
      inscribe({ type: 'text/plain', body: 'altered' }, ([script = new Uint8Array(0), ...rest]) => [
        alter(script, -2),
        ...rest,
      ]),
      inscribe({ type: 'text/plain', body: 'altered' }, ([script = new Uint8Array(0), control = new Uint8Array(0)]) => [
        script,
        alter(control, 9),
      ]),
    ]
    for (const txid of txids) {
      const response = await get(`/v0/web/Bitcoin/${txid}i0`)
      expect([response.status, response.headers.get('Cache-Control'), await code(response)]).toEqual([
        404,
        'no-store',
        'not_verified',
      ])
    }
  })

  it('that is compressed is sent as stored where that is accepted, else decoded', async () => {
    const body = text().repeat(20)
    const br = inscribe({ type: 'text/plain', encoding: 'br', body: brotliCompressSync(body) })
    const gzip = inscribe({ type: 'text/plain', encoding: 'gzip', body: gzipSync(body) })
    const stored = await get(`/v0/web/Bitcoin/${br}i0`, { headers: { 'Accept-Encoding': 'br' } })
    expect(stored.headers.get('Content-Encoding')).toBe('br')
    for (const txid of [br, gzip]) {
      const plain = await get(`/v0/web/Bitcoin/${txid}i0`, { headers: { 'Accept-Encoding': 'identity' } })
      expect([plain.headers.get('Content-Encoding'), await plain.text()]).toEqual([null, body])
    }
  })

  it('in a coding that is not known is 406, and one that does not decode 422', async () => {
    const unknown = await get(`/v0/web/Bitcoin/${inscribe({ encoding: 'zstd', body: 'x' })}i0`)
    expect([unknown.status, await code(unknown)]).toEqual([406, 'format_not_available'])
    for (const encoding of ['br', 'gzip']) {
      const broken = await get(`/v0/web/Bitcoin/${inscribe({ encoding, body: 'broken, surely' })}i0`)
      expect([broken.status, await code(broken)], encoding).toEqual([422, 'bad_encoding'])
    }
  })

  it('with a delegate is shown as that is', async () => {
    const body = text()
    const delegate = { txid: inscribe({ type: 'text/css', body }), index: 0 }
    const response = await get(`/v0/web/Bitcoin/${inscribe({ type: 'text/plain', delegate })}i0`)
    expect([response.headers.get('Content-Type'), await response.text()]).toEqual(['text/css', body])
    const missing = await get(`/v0/web/Bitcoin/${inscribe({ delegate: { ...delegate, index: 1 } })}i0`)
    expect([missing.status, await code(missing)]).toEqual([404, 'no_such_inscription'])
  })

  it('is denied by its txid, by the hash of its bytes, and by the txid of its delegate', async () => {
    const body = text()
    const delegated = inscribe({ type: 'text/plain', body })
    const txid = inscribe({ delegate: { txid: delegated, index: 0 } })
    expect((await get(`/v0/web/Bitcoin/${txid}i0`)).status).toBe(200)
    await deny('txid', delegated)
    expect((await get(`/v0/web/Bitcoin/${txid}i0`)).status).toBe(451)
    expect((await get(`/v0/web/Bitcoin/${delegated}i0`)).status).toBe(451)
    const same = inscribe({ type: 'text/plain', body })
    expect((await get(`/v0/web/Bitcoin/${same}i0`)).status).toBe(200)
    await deny('cid', CID.createV1(raw.code, await sha256.digest(new TextEncoder().encode(body))).toString())
    expect((await get(`/v0/web/Bitcoin/${same}i0`)).status).toBe(451)
  })

  it.each([
    ['another number', 'Bitcoin', (txid: string) => `${txid}i1`, 404, 'no_such_inscription'],
    ['no transaction', 'Bitcoin', () => `${'ef'.repeat(32)}i0`, 404, 'no_such_inscription'],
    ['a chain that is not set', 'Nativecoin', (txid: string) => `${txid}i0`, 404, 'no_such_inscription'],
    ['a mixed list', 'Bitcoin', (txid: string) => `${txid},${txid}i0`, 400, 'invalid_field'],
    ['an unknown prefix', 'Bitcoin', (txid: string) => `olga:${txid}`, 400, 'invalid_field'],
  ])('of %s is refused', async (_, chain, name, status, expected) => {
    const response = await get(`/v0/web/${chain}/${name(inscribe({ body: 'x' }))}`)
    expect([response.status, await code(response)]).toEqual([status, expected])
  })

  it('changes nothing of what the txid alone names', async () => {
    expect((await get(`/v0/web/Bitcoin/${inscribe({ body: 'x' })}`)).status).toBe(404)
  })
})

describe('a doginal', () => {
  function storeDoginal(body: string): string[] {
    const scripts = writeDoginal('text/plain', new TextEncoder().encode(body), { partBytes: 4, partsEach: 3 })
    const txids: string[] = []
    for (const script of scripts) {
      const txid = txids.at(-1) ?? crypto.randomUUID().replaceAll('-', '').repeat(2)
      txids.push(give(dogecoin, transactionOf([input({ txid, vout: 0 }, { script })])))
    }
    return txids
  }

  it('of one transaction is named by that, one of several by all of them', async () => {
    const [lone] = storeDoginal('short')
    expect(await (await get(`/v0/web/Dogecoin/${lone}i0`)).text()).toBe('short')
    const body = text()
    const txids = storeDoginal(body)
    const response = await get(`/v0/web/Dogecoin/${txids.join('+')}i0`)
    expect([response.headers.get('Content-Type'), await response.text()]).toEqual(['text/plain', body])
  })

  it('that delegates to one of several transactions says which one to name by all of them', async () => {
    const [delegate = ''] = storeDoginal(text())
    const [script = new Uint8Array(0)] = writeDoginal('text/plain', new Uint8Array(1), { partBytes: 1, partsEach: 1 })
    const spent = { txid: 'cd'.repeat(32), vout: 0 }
    const follow = concatBytes([script, push(Uint8Array.of(11)), push(txidBytes(delegate))])
    const txid = give(dogecoin, transactionOf([input(spent, { script: follow })]))
    const response = await get(`/v0/web/Dogecoin/${txid}i0`)
    const { code, message } = await response.json<{ code: string; message: string }>()
    expect([response.status, code]).toEqual([404, 'not_complete'])
    expect(message).toContain(`Of ${delegate}i0 are `)
  })

  it('of which transactions are missing, or of another order, is not complete', async () => {
    const [first, second, third, ...rest] = storeDoginal(text())
    const missing = await get(`/v0/web/Dogecoin/${first}i0`)
    expect([missing.status, await code(missing)]).toEqual([404, 'not_complete'])
    const mixed = await get(`/v0/web/Dogecoin/${[first, third, second, ...rest].join('+')}i0`)
    expect([mixed.status, await code(mixed)]).toEqual([404, 'no_such_inscription'])
  })
})

it('a stamp is answered by its first bytes, and other P2WSH outputs are none', async () => {
  const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3])
  const spent = () => input({ txid: crypto.randomUUID().replaceAll('-', '').repeat(2), vout: 0 })
  const payment = Uint8Array.of(0x51)
  const stamp = give(bitcoin, transactionOf([spent()], [payment, ...writeOlga(png)]))
  const response = await get(`/v0/web/Bitcoin/stamp:${stamp}`)
  expect(response.headers.get('Content-Type')).toBe('image/png')
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(png)
  const other = give(bitcoin, transactionOf([spent()], [payment, ...writeOlga('nothing that is known')]))
  expect((await get(`/v0/web/Bitcoin/stamp:${other}`)).status).toBe(404)
})

describe('what a transaction holds', () => {
  it('is listed by names, with hashes and references', async () => {
    const parents = [{ txid: 'cd'.repeat(32), index: 3 }]
    const txid = inscribe({ type: 'text/plain', encoding: 'br', body: 'abc', metadata: Uint8Array.of(0xa0), parents })
    const response = await get(`/v0/decode/Bitcoin/${txid}`)
    expect(await response.json()).toEqual({
      txid,
      items: [
        {
          name: `${txid}i0`,
          encoding: 'inscription',
          type: 'text/plain',
          typeFrom: 'chain',
          contentEncoding: 'br',
          size: 3,
          sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
          delegate: null,
          parents: [`${'cd'.repeat(32)}i3`],
          metadata: 'a0',
          metaprotocol: null,
          pointer: null,
          missing: 0,
          input: 0,
          vout: null,
        },
      ],
    })
  })

  it('is 404 where there is no transaction, and 400 for several', async () => {
    expect((await get(`/v0/decode/Bitcoin/${'ef'.repeat(32)}`)).status).toBe(404)
    expect((await get(`/v0/decode/Bitcoin/${'ef'.repeat(32)},${'ab'.repeat(32)}`)).status).toBe(400)
  })
})

describe('transactions of any kind', () => {
  it('are answered without data too, with witnesses only where that is asked for, and those are not stored', async () => {
    const txid = inscribe({ body: 'x' })
    expect((await get(`/v0/tx/Bitcoin/${txid}`)).status).toBe(404)
    const stripped = await get(`/v0/tx/Bitcoin/${txid}?any=1`)
    const whole = await get(`/v0/tx/Bitcoin/${txid}?any=1&witness=1`)
    expect([stripped.headers.get('Cache-Control'), whole.headers.get('Cache-Control')]).toEqual([
      'public, max-age=31536000, immutable, no-transform',
      'no-store',
    ])
    const [small, large] = await Promise.all(
      [stripped, whole].map(async (one) => toHex(new Uint8Array(await one.arrayBuffer()))),
    )
    expect(large).toBe(bitcoin.transactions.get(txid))
    expect((small ?? '').length).toBeLessThan((large ?? '').length)
  })

  it('are 404 where one does not exist, and 400 above 120', async () => {
    const txid = inscribe({ body: 'x' })
    expect((await get(`/v0/tx/Bitcoin/${txid},${'ef'.repeat(32)}?any=1`)).status).toBe(404)
    expect((await get(`/v0/tx/Bitcoin/${Array.from({ length: 121 }, () => txid).join(',')}?any=1`)).status).toBe(400)
  })
})
