import { Hono } from 'hono'
import { requireToken } from '../auth/require-token.ts'
import type { AppEnv } from '../http/app-env.ts'
import { AppError } from '../http/errors.ts'

/** POST /v0/ipfs: takes in a CAR. */
export const importIpfs = new Hono<AppEnv>()

importIpfs.post('/', requireToken('import'), async (c) => {
  const { carTooLarge, importCar, MAX_CAR_BYTES } = await import('../ipfs/blocks/import-car.ts')
  if (Number(c.req.header('Content-Length') ?? 0) > MAX_CAR_BYTES) throw carTooLarge()
  const [type = ''] = (c.req.header('Content-Type') ?? '').split(';')
  if (type.trim().toLowerCase() !== 'application/vnd.ipld.car') {
    throw new AppError(415, 'unsupported_media_type', 'Send the CAR as application/vnd.ipld.car.')
  }
  const { roots, blocks, bytes } = await importCar(c.env.BUCKET, c.req.raw.body ?? new Blob([]).stream())
  return c.json({ roots: roots.map(String), blocks, bytes }, 201)
})
