import { Hono } from 'hono'
import { SLOWEST_BODY } from '../../../../contract/limits.ts'
import { now } from '../../../platform/clock.ts'
import { pacedBody } from '../../../platform/flow/body-pace.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { AppError, unavailable } from '../../../platform/http/errors.ts'
import { requireToken } from '../../auth/require-token.ts'

/** POST /v0/ipfs: imports a CAR. */
export const importIpfs = new Hono<AppEnv>()

/** The second for clients that know no other type of bytes. */
const TYPES = ['application/vnd.ipld.car', 'application/octet-stream']

importIpfs.post('/', requireToken('import'), async (c) => {
  const { carTooLarge, importCar, MAX_CAR_BYTES } = await import('../../../content/ipfs/blocks/import-car.ts')
  if (Number(c.req.header('Content-Length') ?? 0) > MAX_CAR_BYTES) throw carTooLarge()
  const [type = ''] = (c.req.header('Content-Type') ?? '').split(';')
  if (!TYPES.includes(type.trim().toLowerCase())) {
    throw new AppError(
      415,
      'unsupported_media_type',
      'Send the CAR as application/vnd.ipld.car or application/octet-stream.',
    )
  }
  const tooSlow = () =>
    unavailable('upload_stalled', `The CAR arrived slower than ${SLOWEST_BODY} bytes a second. Send it again.`)
  const body = c.req.raw.body ? pacedBody(c.req.raw.body, now, tooSlow) : new Blob([]).stream()
  const { roots, blocks, bytes } = await importCar(c.env.BUCKET, body)
  return c.json({ roots: roots.map(String), blocks, bytes }, 201)
})
