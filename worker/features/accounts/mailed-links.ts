import type { Context } from 'hono'
import { now } from '../../platform/clock.ts'
import type { AppEnv } from '../../platform/http/app-env.ts'
import { AppError } from '../../platform/http/errors.ts'
import { type Client, clientOf } from '../../platform/http/limit-requests.ts'
import { BODY_LIMIT, readBody } from '../../platform/http/read-body.ts'
import { parseAs, readRequest } from '../../platform/http/read-request.ts'
import type { CallerEnv } from '../auth/require-token.ts'
import type { MailLink } from '../auth/sql/mail-links.ts'
import { confirmNewEmail, requestNewEmail } from './change-email.ts'
import { deliverMail } from './deliver-mail.ts'
import { findLink, resetPassword, verifyEmail } from './follow-link.ts'
import { emailPage, messagePage, PAGE_HEADERS, resetPage, verifyPage } from './page.ts'
import { requestLink } from './request-link.ts'

const schemas = () => import('../../../contract/account.ts')

interface Given {
  token: string
  password: string
  client: Client
}

/** What the page of a link asks, and what its form does, which answers another page. */
const PAGES: Readonly<
  Record<
    MailLink['kind'],
    {
      page: typeof verifyPage
      schema: 'LinkForm' | 'NewPasswordByLink'
      /** Before the sentence of a refusal. */
      before: string
      act(c: Context<AppEnv>, given: Given): Promise<string>
    }
  >
> = {
  verify: {
    page: verifyPage,
    schema: 'LinkForm',
    before: '',
    async act(c, given) {
      await verifyEmail(c.env.DB, c.get('config'), given, now())
      if (c.get('config').identityCheck !== 'manual')
        return messagePage('Thank you', 'Your address is confirmed. You can sign in now.', 'Sign in')
      const next = 'An operator of this service now checks your identity; after that you can log in.'
      return messagePage('Thank you', `Your address is confirmed. ${next}`)
    },
  },
  reset: {
    page: resetPage,
    schema: 'NewPasswordByLink',
    before: 'The ',
    async act(c, given) {
      await resetPassword(c.env.DB, c.get('config'), given, now())
      return messagePage('Your password is set', 'Sign in with it wherever you need it.', 'Sign in')
    },
  },
  email: {
    page: emailPage,
    schema: 'LinkForm',
    before: '',
    async act(c, given) {
      const email = await confirmNewEmail(c.env.DB, c.get('config'), given, now())
      return messagePage('Your address is changed', `Sign in with ${email} from now on.`)
    },
  },
}

/** The page of a link, which changes nothing. */
export function showPage(c: Context<AppEnv>, kind: MailLink['kind']): Promise<Response> {
  return answerPage(c, async () => {
    const token = c.req.query('token') ?? ''
    const { link, user } = await findLink(c.env.DB, c.get('config'), kind, token, now())
    return PAGES[kind].page(link.email ?? user.email, token)
  })
}

/** The form of that page, which is shown again where its fields are refused. */
export function takeForm(c: Context<AppEnv>, kind: MailLink['kind']): Promise<Response> {
  return answerPage(c, async () => {
    const form = await readForm(c)
    const { token } = await parseAs(form, schemas, 'LinkToken')
    const { link, user } = await findLink(c.env.DB, c.get('config'), kind, token, now())
    const { page, schema, before, act } = PAGES[kind]
    try {
      return await act(c, { ...(await parseAs(form, schemas, schema)), client: clientOf(c) })
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'link_invalid') throw error
      const again = await page(link.email ?? user.email, token, `${before}${error.message}`)
      return c.body(again, error.status, { ...error.headers, ...PAGE_HEADERS })
    }
  })
}

/** Sets the password that a mailed link is followed for. */
export async function setPassword(c: Context<AppEnv>): Promise<Response> {
  const given = await readRequest(c, BODY_LIMIT.account, schemas, 'NewPasswordByLink')
  await resetPassword(c.env.DB, c.get('config'), given, now())
  return c.json({ message: 'The password is set, and every session has ended. Log in with it.' })
}

/** Mails a link to an account with the given address. After the answer: how long it takes must not reveal whether there is one. */
export async function sendLink(c: Context<AppEnv>, kind: 'verify' | 'reset'): Promise<Response> {
  const { email } = await readRequest(c, BODY_LIMIT.account, schemas, 'EmailAddress')
  const mail = await requestLink(c.env.DB, kind, email, clientOf(c), now())
  c.executionCtx.waitUntil(deliverMail(c.env.DB, c.get('config'), mail, now()))
  return c.json({ message: 'If that address has an account that needs it, a mail is on its way.' }, 202)
}

/** Asks for a change of the address. The mail is sent after the answer: how long it takes must not reveal which it is. */
export async function askNewEmail(c: Context<AppEnv & CallerEnv>): Promise<Response> {
  const given = await readRequest(c, BODY_LIMIT.account, schemas, 'NewEmail')
  const config = c.get('config')
  const caller = { ...c.get('caller'), client: clientOf(c) }
  const mail = await requestNewEmail(c.env.DB, config, caller, given, now())
  c.executionCtx.waitUntil(deliverMail(c.env.DB, config, mail, now()))
  const message =
    'If the address is free, a mail with a link is on its way to it. Until the link is confirmed, nothing changes.'
  return c.json({ message }, 202)
}

/** Answers with a page, and with a page too when the request is refused: a person is reading. */
async function answerPage(c: Context<AppEnv>, work: () => Promise<string | Response>): Promise<Response> {
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
async function readForm(c: Context<AppEnv>): Promise<Record<string, unknown>> {
  const body = await readBody(c.req.raw, BODY_LIMIT.account)
  if (c.req.header('Content-Type')?.split(';')[0]?.trim().toLowerCase() !== 'application/x-www-form-urlencoded') {
    throw new AppError(415, 'unsupported_media_type', 'Send the form as application/x-www-form-urlencoded.')
  }
  return Object.fromEntries(new URLSearchParams(new TextDecoder().decode(body)))
}
