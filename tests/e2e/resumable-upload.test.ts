import { randomBytes, randomInt } from 'node:crypto'
import { type PreviousUpload, Upload, type UploadOptions, type UrlStorage } from 'tus-js-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DisconnectingProxy, startDisconnectingProxy } from '../kit/disconnecting-proxy.ts'
import { openService, token, worker } from './open-service.ts'

const MIB = 2 ** 20

let proxy: DisconnectingProxy

openService({ account: 'user' })
beforeAll(async () => {
  proxy = await startDisconnectingProxy(worker.url)
})
afterAll(() => proxy.close())

const metadata = { filename: 'a.bin', filetype: 'application/octet-stream', blockchain: 'IPFS' }

function optionsOf(more: UploadOptions): UploadOptions {
  return {
    endpoint: `${proxy.url}/v0/upload`,
    metadata,
    headers: { Authorization: `Bearer ${token}` },
    chunkSize: 8 * MIB,
    retryDelays: [0, 100, 500, 1000, 3000, 5000],
    ...more,
  }
}

/** Uploads with tus-js-client as published on npm. Returns the id. */
async function uploadWhole(content: Buffer, more: UploadOptions = {}): Promise<string> {
  return await new Promise((resolve, reject) => {
    const upload = new Upload(
      content,
      optionsOf({ ...more, onSuccess: () => resolve(upload.url?.split('/').at(-1) ?? ''), onError: reject }),
    )
    upload.start()
  })
}

/** The bytes that the service holds, as its merge reads them. */
async function heldBytes(id: string, size: number): Promise<Buffer> {
  const bucket = await worker.miniflare.getR2Bucket('BUCKET')
  const parts: Buffer[] = []
  for (let index = 0; index < Math.ceil(size / MIB); index++) {
    const object = await bucket.get(`chunks/${id}/${index}`)
    if (object) parts.push(Buffer.from(new Uint8Array(await object.arrayBuffer())))
  }
  return Buffer.concat(parts)
}

describe('an upload by tus-js-client', () => {
  it('arrives whole over cuts at random bytes, of which each has at most 1 MiB sent twice', async () => {
    const content = randomBytes(20 * MIB + 12_345)
    const cuts = Array.from({ length: 5 }, () => randomInt(1000, 4 * MIB))
    const before = proxy.passed
    proxy.cuts.push(...cuts)
    const id = await uploadWhole(content)
    expect(proxy.cuts).toEqual([])
    expect((await heldBytes(id, content.length)).equals(content)).toBe(true)
    // Headers are some hundred bytes a request.
    const twice = proxy.passed - before - content.length - 20_000
    expect(twice).toBeLessThan(cuts.length * MIB)
  })

  it('goes on in another run of the client, which knows no more than its URL', async () => {
    const content = randomBytes(9 * MIB)
    const kept: PreviousUpload[] = []
    const urlStorage: UrlStorage = {
      findAllUploads: async () => kept,
      findUploadsByFingerprint: async () => kept,
      removeUpload: async () => undefined,
      addUpload: async (_fingerprint, upload) => {
        kept.push(upload)
        return 'kept'
      },
    }
    const storing = { urlStorage, fingerprint: async () => 'a file', chunkSize: MIB }
    await new Promise<void>((resolve) => {
      const upload: Upload = new Upload(
        content,
        optionsOf({
          ...storing,
          onChunkComplete(_size, accepted) {
            if (accepted >= 4 * MIB) void upload.abort().then(resolve)
          },
        }),
      )
      upload.start()
    })
    const before = proxy.passed
    const id = await new Promise<string>((resolve, reject) => {
      const upload = new Upload(
        content,
        optionsOf({ ...storing, onSuccess: () => resolve(upload.url?.split('/').at(-1) ?? ''), onError: reject }),
      )
      void upload.findPreviousUploads().then(([previous]) => {
        if (!previous) return reject(new Error('no upload was kept'))
        upload.resumeFromPreviousUpload(previous)
        upload.start()
      })
    })
    expect((await heldBytes(id, content.length)).equals(content)).toBe(true)
    // Bytes in flight of the first run may arrive after the count begins: one part at most.
    expect(proxy.passed - before).toBeLessThan(6 * MIB + 20_000)
  })

  it('may send POST instead of PATCH, and its bytes with the creation', async () => {
    const content = randomBytes(3 * MIB)
    const id = await uploadWhole(content, { overridePatchMethod: true, uploadDataDuringCreation: true, chunkSize: MIB })
    expect((await heldBytes(id, content.length)).equals(content)).toBe(true)
  })

  it('learns why a part of full size is refused', async () => {
    const id = await uploadWhole(randomBytes(10))
    const refused = await fetch(`${worker.url}/v0/upload/${id}`, {
      method: 'PATCH',
      headers: {
        Authorization: 'Bearer none',
        'Tus-Resumable': '1.0.0',
        'Upload-Offset': '0',
        'Content-Type': 'application/offset+octet-stream',
      },
      body: randomBytes(32 * MIB),
    })
    expect(refused.status).toBe(401)
    expect(await refused.json()).toMatchObject({ code: 'token_invalid' })
  })
})
