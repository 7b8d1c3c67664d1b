import { createHash, createHmac } from 'node:crypto'

/** The id (hex) that workerd gives an object by its name, which is also the name of its file. After Miniflare (MIT). */
export function objectId(key: string, name: string): string {
  const secret = createHash('sha256').update(key).digest()
  const hashed = createHmac('sha256', secret).update(name).digest().subarray(0, 16)
  const proof = createHmac('sha256', secret).update(hashed).digest().subarray(0, 16)
  return Buffer.concat([hashed, proof]).toString('hex')
}
