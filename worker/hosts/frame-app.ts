import { Hono } from 'hono'
import { frameHost } from '../features/hook/routes/frame-host.ts'
import { answerError } from '../platform/http/answer-error.ts'
import type { AppEnv } from '../platform/http/app-env.ts'
import { noSuchPath } from '../platform/http/errors.ts'
import { finishAnswers } from './finish-answers.ts'
import { finishSiteHeaders } from './finish-site-headers.ts'
import { requireHttps } from './require-https.ts'

/** `<52 characters of base32>.<storage host>`: where a page's helper shows a site. The site itself never comes from here. */
export const frameApp = new Hono<AppEnv>()

frameApp.use(finishAnswers((headers, c) => finishSiteHeaders(headers, c.req.url)))
frameApp.use(requireHttps())
frameApp.route('/', frameHost)
frameApp.all('*', (c) => answerError(noSuchPath(), c))

frameApp.onError((error, c) => answerError(error, c))
