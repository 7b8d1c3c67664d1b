import { type Context, Hono } from 'hono'
import { now } from '../../../platform/clock.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { AppError } from '../../../platform/http/errors.ts'
import { clientOf } from '../../../platform/http/limit-requests.ts'
import { BODY_LIMIT, readBody } from '../../../platform/http/read-body.ts'
import { parseAs } from '../../../platform/http/read-request.ts'
import { findLink, resetPassword, verifyEmail } from '../follow-link.ts'

const schemas = () => import('../../../../contract/account.ts')
const pages = () => import('../page.ts')

/** The pages that mailed links open, under /v0/user. */
export const userPages = new Hono<AppEnv>()

for (const [path, kind, page] of [
  ['/verify', 'verify', 'verifyPage'],
  ['/password', 'reset', 'resetPage'],
] as const) {
  userPages.get(path, (c) =>
    answerPage(c, async () => {
      const token = c.req.query('token') ?? ''
      const { user } = await findLink(c.env.DB, c.get('config'), kind, token, now())
      return (await pages())[page](user.email, token)
    }),
  )
}

userPages.post('/verify', (c) =>
  answerPage(c, async () => {
    const form = await readForm(c)
    const { token } = await parseAs(form, schemas, 'LinkToken')
    const { user } = await findLink(c.env.DB, c.get('config'), 'verify', token, now())
    try {
      const given = await parseAs(form, schemas, 'LinkForm')
      await verifyEmail(c.env.DB, c.get('config'), { ...given, client: clientOf(c) }, now())
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'link_invalid') throw error
      const { PAGE_HEADERS, verifyPage } = await pages()
      const page = await verifyPage(user.email, token, error.message)
      return c.body(page, error.status, { ...error.headers, ...PAGE_HEADERS })
    }
    const { messagePage } = await pages()
    if (c.get('config').identityCheck !== 'manual') {
      return messagePage('Thank you', 'Your address is confirmed. You can sign in now.', 'Sign in')
    }
    const next = 'An operator of this service now checks your identity; after that you can log in.'
    return messagePage('Thank you', `Your address is confirmed. ${next}`)
  }),
)

userPages.post('/password', (c) =>
  answerPage(c, async () => {
    const form = await readForm(c)
    const { token } = await parseAs(form, schemas, 'LinkToken')
    const { user } = await findLink(c.env.DB, c.get('config'), 'reset', token, now())
    let given: { token: string; password: string }
    try {
      given = await parseAs(form, schemas, 'NewPasswordByLink')
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const { PAGE_HEADERS, resetPage } = await pages()
      return c.body(await resetPage(user.email, token, `The ${error.message}`), 400, PAGE_HEADERS)
    }
    await resetPassword(c.env.DB, c.get('config'), given, now())
    return (await pages()).messagePage('Your password is set', 'Sign in with it wherever you need it.', 'Sign in')
  }),
)

/** Answers with a page, and with a page too when the request is refused: a person is reading. */
async function answerPage(c: Context<AppEnv>, work: () => Promise<string | Response>): Promise<Response> {
  try {
    const result = await work()
    return result instanceof Response ? result : c.body(result, 200, (await pages()).PAGE_HEADERS)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { messagePage, PAGE_HEADERS } = await pages()
    const page = await messagePage('That did not work', error.message)
    return c.body(page, error.status, { ...error.headers, ...PAGE_HEADERS })
  }
}

async function readForm(c: Context<AppEnv>): Promise<Record<string, unknown>> {
  const body = await readBody(c.req.raw, BODY_LIMIT.account)
  if (c.req.header('Content-Type')?.split(';')[0]?.trim().toLowerCase() !== 'application/x-www-form-urlencoded') {
    throw new AppError(415, 'unsupported_media_type', 'Send the form as application/x-www-form-urlencoded.')
  }
  return Object.fromEntries(new URLSearchParams(new TextDecoder().decode(body)))
}
