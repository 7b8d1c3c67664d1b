import { BUCKET_CASES } from './bucket-cases.ts'
import { DATABASE_CASES } from './database-cases.ts'

interface Env {
  BUCKET: R2Bucket
  DB: D1Database
  PUBLIC_FETCH?: Fetcher
}

/** A Worker that runs one case with its bindings: `/bucket/<name>` or `/database/<name>`; or that fetches, `/fetch/<url>`, `/public/<url>`. */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const [, kind, name = ''] = new URL(request.url).pathname.split('/')
    const known = decodeURIComponent(name)
    if (kind === 'fetch') return Response.json({ seen: await textOf(fetch(known)) })
    if (kind === 'public') return Response.json({ seen: await textOf(env.PUBLIC_FETCH?.fetch(known)) })
    if (kind === 'bucket') {
      await empty(env.BUCKET)
      return Response.json({ seen: await BUCKET_CASES[known]?.run(env.BUCKET) })
    }
    await dropAll(env.DB)
    return Response.json({ seen: await DATABASE_CASES[known]?.run(env.DB) })
  },
}

/** What an address answers; `undefined` where it is not reached. */
async function textOf(answering: Promise<Response> | undefined): Promise<string | undefined> {
  try {
    return await (await answering)?.text()
  } catch {
    return undefined
  }
}

async function empty(bucket: R2Bucket): Promise<void> {
  const { objects } = await bucket.list()
  if (objects.length > 0) await bucket.delete(objects.map(({ key }) => key))
}

/** In the opposite order of their making, so that no table is referred to. */
async function dropAll(db: D1Database): Promise<void> {
  const tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'"
  const { results } = await db.prepare(`${tables} ORDER BY rowid DESC`).all()
  for (const { name } of results) await db.prepare(`DROP TABLE ${String(name)}`).run()
}

/** What the second socket of the configuration answers. */
export const Internal = { fetch: () => new Response(null, { status: 404 }) }
