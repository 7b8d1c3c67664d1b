import { type Context, Hono } from 'hono'
import { TUS_VERSION } from '../../../../contract/tus.ts'
import { methodNotAllowed } from '../../../platform/http/allowed-methods.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { type CallerEnv, requireToken } from '../../auth/require-token.ts'
import type { DeleteItem } from '../upload/answer-upload.ts'

const answers = async () => await import('../upload/answer-upload.ts')

/**
 * /v0/upload: resumable uploads by tus 1.0, and the list of those that are unfinished. `deleteItem` is passed in: it
 * belongs to payments, which items may not import.
 */
export function uploadRoutes(deleteItem: DeleteItem): Hono<AppEnv> {
  const upload = new Hono<AppEnv>()

  upload.use(async (c, next) => {
    await next()
    c.res.headers.set('Tus-Resumable', TUS_VERSION)
  })

  upload.get('/', requireToken('store'), async (c) => (await answers()).answerUploads(c))

  upload.post('/', requireToken('store'), async (c) => (await answers()).answerCreation(c))

  upload.get('/:id', requireToken('store'), async (c) => {
    const id = c.req.param('id')
    return c.req.method === 'HEAD' ? (await answers()).answerOffset(c, id) : (await answers()).answerHashes(c, id)
  })

  upload.patch('/:id', requireToken('store'), async (c) => (await answers()).answerPart(c, c.req.param('id')))

  upload.delete('/:id', requireToken('store'), async (c) =>
    (await answers()).answerTermination(c, c.req.param('id'), deleteItem),
  )

  // For clients between which and here something lets no other method through (tus, X-HTTP-Method-Override).
  upload.post('/:id', requireToken('store'), async (c) => answerOverride(c, c.req.param('id'), deleteItem))

  return upload
}

async function answerOverride(c: Context<CallerEnv>, id: string, deleteItem: DeleteItem): Promise<Response> {
  const { answerOffset, answerPart, answerTermination } = await answers()
  switch (c.req.header('X-HTTP-Method-Override')?.toUpperCase()) {
    case 'PATCH':
      return await answerPart(c, id)
    case 'DELETE':
      return await answerTermination(c, id, deleteItem)
    case 'HEAD':
      return await answerOffset(c, id)
    default:
      throw methodNotAllowed(['GET', 'HEAD', 'PATCH', 'DELETE'], ' POST needs X-HTTP-Method-Override here.')
  }
}
