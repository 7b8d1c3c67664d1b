import { brotliCompressSync } from 'node:zlib'
import { CarWriter } from '@ipld/car/writer'
import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import { generateKeyPairFromSeed } from '@libp2p/crypto/keys'
import { blake2b } from '@noble/hashes/blake2.js'
import { blake3 } from '@noble/hashes/blake3.js'
import { createIPNSRecordWithExpiration, marshalIPNSRecord } from 'ipns'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { sha256 } from 'multiformats/hashes/sha2'
import { writeDoginal, writeEnvelope } from '../../devnet/others/write-inscription.ts'
import { writeOlga } from '../../devnet/others/write-stamp-outputs.ts'
import { CODEC } from '../../protocol/cid.ts'
import { writeOpReturn } from '../../protocol/op-return.ts'
import { encodeTransaction } from '../../protocol/transaction.ts'
import { blockKey } from '../../worker/content/ipfs/blocks/block-key.ts'
import { addDirectory } from '../../worker/content/ipfs/dag/add-file.ts'
import {
  type Bombs,
  fileBomb,
  inlineLinksBomb,
  lengthsBomb,
  namesBomb,
  shardBomb,
  treeBomb,
} from '../worker/content/ipfs/bombs.ts'
import { addToCorpus } from './add-to-corpus.ts'

// node tests/fuzz/write-corpus.ts: the inputs that have names, by which every search begins; the bombs among them.

const bytesOf = (text: string) => new TextEncoder().encode(text)

/** Blocks in the order they were made, to be written as a CAR. */
class CarFixture implements Bombs {
  readonly #blocks = new Map<string, { cid: CID; bytes: Uint8Array }>()

  async put(cid: CID, bytes: Uint8Array): Promise<CID> {
    this.#blocks.set(blockKey(cid), { cid, bytes })
    return cid
  }

  async putBlock(code: number, bytes: Uint8Array): Promise<CID> {
    return this.put(CID.createV1(code, await sha256.digest(bytes)), bytes)
  }

  async write(root: CID): Promise<Uint8Array> {
    const { writer, out } = CarWriter.create([root])
    const parts: Uint8Array[] = []
    const read = (async () => {
      for await (const part of out) parts.push(part)
    })()
    for (const block of this.#blocks.values()) await writer.put(block)
    await writer.close()
    await read
    return Buffer.concat(parts)
  }
}

const INLINE = CID.parse('bafkqaaa')
/** The largest block that is accepted. */
const SPACES = new Uint8Array(2 << 20).fill(0x20)

async function slowlyHashed(dag: CarFixture, hash: Uint8Array, code: number): Promise<CID> {
  return dag.put(CID.createV1(CODEC.raw, create(code, hash)), SPACES)
}

const BOMBS: Record<string, (dag: CarFixture) => Promise<CID>> = {
  'bomb-shards': (dag) => shardBomb(dag, 7),
  'bomb-file': (dag) => fileBomb(dag, new Uint8Array([65]), 3, 20_000),
  'bomb-file-small': (dag) => fileBomb(dag, new Uint8Array(16).fill(65), 2, 100),
  'bomb-tree': (dag) => treeBomb(dag, 3, 200),
  'bomb-links': (dag) => treeBomb(dag, 1, 40_000),
  'bomb-lengths': (dag) => lengthsBomb(dag),
  'bomb-cbor': (dag) => dag.putBlock(dagCbor.code, dagCbor.encode(Array.from({ length: 500_000 }, () => 1))),
  'bomb-inline-links': (dag) => inlineLinksBomb(dag, 150_000),
  'bomb-inline-most': (dag) => inlineLinksBomb(dag, 50_000),
  'bomb-names': (dag) => namesBomb(dag, 40, 1000),
  'bomb-long-names': (dag) => namesBomb(dag, 8, 8000),
  // Just short enough to be decoded: of values, of links, of levels.
  'bomb-cbor-values': (dag) => dag.putBlock(dagCbor.code, dagCbor.encode(Array.from({ length: 4000 }, () => []))),
  'bomb-cbor-links': (dag) => dag.putBlock(dagCbor.code, dagCbor.encode(Array.from({ length: 2000 }, () => INLINE))),
  'bomb-cbor-all-links': (dag) =>
    dag.putBlock(dagCbor.code, dagCbor.encode(Array.from({ length: 16_000 }, () => INLINE))),
  'bomb-cbor-nested': (dag) =>
    dag.putBlock(
      dagCbor.code,
      Uint8Array.from({ length: 3000 }, (_, at) => (at < 2999 ? 0x81 : 1)),
    ),
  'bomb-json-links': (dag) => dag.putBlock(dagJson.code, bytesOf(`[${'{"/":"bafkqaaa"},'.repeat(1000)}1]`)),
  'bomb-blake3': (dag) => slowlyHashed(dag, blake3(SPACES), 0x1e),
  'bomb-blake2b': (dag) => slowlyHashed(dag, blake2b(SPACES, { dkLen: 32 }), 0xb220),
  'bomb-html': (dag) => fileBomb(dag, bytesOf(`<!doctype html>${' '.repeat((1 << 20) - 15)}`), 1, 8),
  'bomb-comments': (dag) => fileBomb(dag, bytesOf(`${'<!---->'.repeat(140)}x`), 0, 0),
}

for (const [name, make] of Object.entries(BOMBS)) {
  const dag = new CarFixture()
  addToCorpus('dag', await dag.write(await make(dag)), name)
}

async function* once(bytes: Uint8Array) {
  yield bytes
}

const site = new CarFixture()
async function* files() {
  for (const path of ['index.html', 'a/b.txt', 'a/c.txt']) yield { path, content: once(bytesOf(`content of ${path}`)) }
}
const { cid } = await addDirectory(site, files())
const car = await site.write(cid)
for (const target of ['dag', 'car']) addToCorpus(target, car, 'site')

const script = writeOpReturn(bytesOf('data of a page'))
const witness = [Uint8Array.of(1, 2, 3)]
const transaction = {
  version: 2,
  inputs: [{ txid: 'ab'.repeat(32), vout: 0, script: Uint8Array.of(0x51), sequence: 0xffffffff, witness }],
  outputs: [
    { value: 0n, script },
    { value: 5_000_000_000n, script: Uint8Array.of(0x76, 0xa9) },
  ],
  lockTime: 0,
}
addToCorpus('transaction', encodeTransaction(transaction), 'witness')
addToCorpus('transaction', encodeTransaction(transaction, { witness: false }), 'plain')
const envelope = {
  type: 'text/html',
  encoding: 'br',
  delegate: { txid: 'ab'.repeat(32), index: 300 },
  metadata: script,
}
addToCorpus('inscription', writeEnvelope({ ...envelope, body: 'a page of others'.repeat(50) }), 'all-fields')
addToCorpus('inscription', Buffer.concat([writeEnvelope({ body: '1' }), writeEnvelope({ body: '2' })]), 'two')
for (const [index, scriptSig] of writeDoginal('text/plain', bytesOf('such parts'), {
  partBytes: 2,
  partsEach: 3,
}).entries()) {
  addToCorpus('doginal', scriptSig, `part-${index}`)
}
const stamped = writeOlga('stamp:R0lGODlh').map((program) => ({ value: 1n, script: program }))
addToCorpus('stamp', encodeTransaction({ ...transaction, outputs: [...transaction.outputs, ...stamped] }), 'olga')
addToCorpus('op-return', script, 'one-push')
addToCorpus('op-return', Uint8Array.of(0x6a, 0x4e, 0xff, 0xff, 0xff, 0xff), 'endless-push')
addToCorpus('brotli', brotliCompressSync(new Uint8Array(50 << 20)), 'bomb-zeros')
addToCorpus('brotli', brotliCompressSync(bytesOf('a page')), 'page')
addToCorpus('node-json', bytesOf(`[{"result":"${'ab'.repeat(100)}","error":null,"id":0}]`), 'batch')
addToCorpus('block', Buffer.concat([Uint8Array.of(1), dagCbor.encode({ a: [1, 2, { b: cid }] })]), 'cbor')
addToCorpus('block', bytesOf(`\u0002{"a":{"/":"${cid}"}}`), 'json')
addToCorpus('block', bytesOf(`\u0003${'['.repeat(20_000)}`), 'bomb-nested')
addToCorpus(
  'headers-file',
  bytesOf('/*\n  X-Frame-Options: DENY\n  Content-Security-Policy: default-src https:\n# end\n'),
  'usual',
)
addToCorpus('redirects-file', bytesOf('/old/* /new/:splat 301\n/a/:b /c?x=:b 200\n/* /404.html 404\n'), 'usual')
addToCorpus('redirects-file', bytesOf(`/* /${':splat/'.repeat(1000)} 301\n`), 'bomb-splats')
addToCorpus('range', bytesOf('1000\nbytes=0-9, 5-, -3'), 'three')
addToCorpus('range', bytesOf(`1000\nbytes=${'0-,'.repeat(2000)}0-0`), 'bomb-many')
addToCorpus('media-type', bytesOf('text/html; charset=utf-8'), 'usual')
addToCorpus('media-type', bytesOf('text/plain; charset="utf-7"'), 'hidden')
addToCorpus('sniff', bytesOf('<!-- a -->'.repeat(200)), 'bomb-comments')
addToCorpus('json', bytesOf('{"a":{"b":["c",1,null]},"d":"\\u0041"}'), 'usual')
addToCorpus('json', bytesOf(`{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`), 'bomb-nested')
addToCorpus(
  'dns-answer',
  bytesOf(
    '{"Status":0,"Answer":[{"name":"a.example.","type":16,"TTL":60,"data":"\\"item=65f0a1b2c3d4e5f601020304\\""}]}',
  ),
  'text',
)
addToCorpus('path', bytesOf('/a/b%20c/%C3%A9/../d/'), 'usual')
addToCorpus('name', bytesOf('k51qzi5uqu5dhmzyv3zac033i7rl9hkgczxyl81lwoukda2htteop7d3x0y1mf'), 'key')
const publisher = await generateKeyPairFromSeed('Ed25519', new Uint8Array(32).fill(1))
// Valid for as long as anybody runs this; the key is that of the target.
const expiration = '2126-01-01T00:00:00.000000000Z'
const record = async (value: string, sequence: bigint, options: { v1Compatible: boolean }) =>
  marshalIPNSRecord(
    await createIPNSRecordWithExpiration(publisher, value, sequence, expiration, {
      ttlNs: 60_000_000_000n,
      ...options,
    }),
  )
addToCorpus('ipns-record', await record(`/ipfs/${cid}`, 1n, { v1Compatible: true }), 'both-signatures')
addToCorpus('ipns-record', await record('/ipns/example.com', 2n ** 63n, { v1Compatible: false }), 'second-signature')
addToCorpus('denylist', bytesOf(`version: 1\n---\n/ipfs/${cid}\n//${'ab'.repeat(32)}\n+/ipfs/bafkqaaa/x\n`), 'usual')
addToCorpus('accept-encoding', bytesOf('gzip;q=0.5, br;q=1.0, *;q=0'), 'usual')
addToCorpus(
  'upload-metadata',
  bytesOf('filename YS50eHQ=,filetype dGV4dC9wbGFpbg==,blockchain SVBGUw==,is_secret'),
  'usual',
)
addToCorpus('webhook', bytesOf('https://shop.example.com:8443/hook?a=b'), 'usual')
addToCorpus('idempotency-key', bytesOf('"0b2c-4d6e"'), 'quoted')
const credential = {
  ...{ type: 'public-key', id: 'AAAA' },
  response: {
    clientDataJSON: 'e30',
    authenticatorData: 'AA',
    signature: 'AA',
    attestationObject: 'AA',
    userHandle: null,
  },
}
addToCorpus('passkey', bytesOf(JSON.stringify(credential)), 'usual')
addToCorpus('content-digest', bytesOf(`sha-512=:AA==:, sha-256=:${'A'.repeat(43)}=:`), 'two')
