import type { Context } from 'hono'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { noSuchPath } from '../../../platform/http/errors.ts'
import { limitRequest } from '../../../platform/http/limit-requests.ts'
import { resolveDomain } from './resolve-domain.ts'

/** Answers with the id of the item or site that a host shows. @throws {AppError} 404 for a host that names none. */
export async function answerHostCheck(
  c: Context<AppEnv>,
  host: { kind: string; id?: string; host?: string },
): Promise<Response> {
  await limitRequest(c)
  const id = host.host === undefined ? host.id : await resolveDomain(c.env, c.get('config'), c.executionCtx, host.host)
  if (id === undefined) throw noSuchPath()
  return c.text(`${id}\n`)
}

/** Where every host of content returns which item or site it shows, so that a check of a domain knows who answers. */
export const HOST_CHECK_PATH = '/.well-known/hookline-host'
