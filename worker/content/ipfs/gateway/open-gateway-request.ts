import type { Context } from 'hono'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { addressOf } from '../../../platform/http/limit-requests.ts'
import type { Denylist } from '../../denylist/denylist.ts'
import { openBlocks } from '../blocks/open-blocks.ts'
import { openDag } from '../dag/dag-source.ts'
import type { IpfsRequest } from '../formats/found-content.ts'

/** A request with the blocks that it may read, as it asked for them and as the operator configured. */
export function openGatewayRequest(
  c: Context<AppEnv>,
  denied: Denylist,
): Pick<IpfsRequest, 'request' | 'source' | 'denied' | 'negotiates'> {
  const onlyIfCached = /(?:^|,)\s*only-if-cached\s*(?:,|$)/i.test(c.req.header('Cache-Control') ?? '')
  const from = { env: c.env, ctx: c.executionCtx, client: addressOf(c) }
  const source = openDag(openBlocks(from, denied, onlyIfCached))
  return { request: c.req.raw, source, denied, negotiates: true }
}
