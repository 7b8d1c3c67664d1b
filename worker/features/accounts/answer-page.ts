import type { Context } from 'hono'
import type { AppEnv } from '../../platform/http/app-env.ts'
import { AppError } from '../../platform/http/errors.ts'
import { BODY_LIMIT, readBody } from '../../platform/http/read-body.ts'
import { messagePage, PAGE_HEADERS } from './page.ts'

/** Answers with a page, and with a page too when the request is refused: a person is reading. */
export async function answerPage(c: Context<AppEnv>, work: () => Promise<string | Response>): Promise<Response> {
  try {
    const result = await work()
    return result instanceof Response ? result : c.body(result, 200, PAGE_HEADERS)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const page = await messagePage('That did not work', error.message)
    return c.body(page, error.status, { ...error.headers, ...PAGE_HEADERS })
  }
}

/** The fields of a form. @throws {AppError} 413, 415. */
export async function readForm(c: Context<AppEnv>): Promise<Record<string, unknown>> {
  const body = await readBody(c.req.raw, BODY_LIMIT.account)
  if (c.req.header('Content-Type')?.split(';')[0]?.trim().toLowerCase() !== 'application/x-www-form-urlencoded') {
    throw new AppError(415, 'unsupported_media_type', 'Send the form as application/x-www-form-urlencoded.')
  }
  return Object.fromEntries(new URLSearchParams(new TextDecoder().decode(body)))
}
