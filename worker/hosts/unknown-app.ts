import { Hono } from 'hono'
import { answerError } from '../platform/http/answer-error.ts'
import type { AppEnv } from '../platform/http/app-env.ts'
import { noSuchPath } from '../platform/http/errors.ts'
import { finishAnswers } from './finish-answers.ts'
import { finishSiteHeaders } from './finish-site-headers.ts'
import { requireHttps } from './require-https.ts'

/** Names under the storage host that are none of its own: nothing is there. */
export const unknownApp = new Hono<AppEnv>()

unknownApp.use(finishAnswers((headers, c) => finishSiteHeaders(headers, c.req.url)))
unknownApp.use(requireHttps())
unknownApp.all('*', (c) => answerError(noSuchPath(), c))

unknownApp.onError((error, c) => answerError(error, c))
