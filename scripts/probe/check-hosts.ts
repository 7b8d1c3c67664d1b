import { randomBytes } from 'node:crypto'
import { UnreachableError } from './ask.ts'
import { SHORT_CID } from './samples.ts'
import { jsonOf, type Target } from './target.ts'

const DAY = 86_400_000
/** Cloudflare renews certificates 30 days before they expire. */
const LEAST_DAYS = 14

/** By http each host leads to the same address by https. */
export async function checkHttps({ ask, api, storage }: Target): Promise<string | undefined> {
  const problems = await Promise.all(
    [api, storage].map(async ({ host }) => {
      const { status, headers } = await ask(new URL(`http://${host}/v0/health`))
      const isRight = [301, 302, 307, 308].includes(status) && headers.location === `https://${host}/v0/health`
      return isRight ? [] : [`http://${host} answers ${status}, and leads to ${headers.location ?? 'nothing'}`]
    }),
  )
  return problems.flat().join('; and ') || undefined
}

/** Of the hosts of API and content, of an item, of a CID and of a name: each is below another wildcard. */
export async function checkCertificates({ ask, api, storage, now }: Target): Promise<string | undefined> {
  const id = randomBytes(12).toString('hex')
  const hosts = [
    api.host,
    ...['', `${id}.`, `${SHORT_CID}.ipfs.`, `${SHORT_CID}.ipns.`].map((below) => below + storage.host),
  ]
  const problems = await Promise.all(
    hosts.map(async (host) => {
      try {
        const { certificateUntil } = await ask(new URL(`https://${host}/`))
        const days = certificateUntil === undefined ? 0 : Math.floor((certificateUntil - now) / DAY)
        return days >= LEAST_DAYS ? [] : [`the certificate of ${host} is valid for ${days} days`]
      } catch (error) {
        if (error instanceof UnreachableError) return [error.message]
        throw error
      }
    }),
  )
  return problems.flat().join('; ') || undefined
}

/**
 * Whether a client can choose the address that limits count it by. Two logins of nobody fail, the second with such an address: it
 * is refused (Cloudflare does so), or counted with the first.
 */
export async function checkForgedAddress({ ask, api }: Target): Promise<string | undefined> {
  const secret = randomBytes(12).toString('hex')
  const body = JSON.stringify({ email: `probe-${secret}@example.com`, password: `Probe1${secret}` })
  const headers = { 'Content-Type': 'application/json' }
  const send = (more: Record<string, string>) =>
    ask(new URL('/v0/token', api), { method: 'POST', headers: { ...headers, ...more }, body })
  const first = await send({})
  if (first.status !== 401) return `cannot be asked: a login is answered with ${first.status}; try again in 15 minutes`
  const second = await send({ 'CF-Connecting-IP': '203.0.113.77', 'X-Forwarded-For': '203.0.113.77' })
  // Without a code it is Cloudflare's own answer.
  if (second.status === 403 && jsonOf(second)?.code === undefined) return undefined
  const [before, after] = [first, second].map(({ headers }) => readLeft(String(headers.ratelimit)))
  if (!before || !after) return 'cannot be asked: a failed login does not say how many are left'
  if (after.name === before.name && after.left < before.left) return undefined
  return 'a client chooses its own address by CF-Connecting-IP, so that no limit holds: let nothing in front pass that header on'
}

/** `"login";r=4;t=900` */
function readLeft(header: string): { name: string; left: number } | undefined {
  const [, name, left] = /"([\w-]+)";r=(\d+)/.exec(header) ?? []
  return name === undefined ? undefined : { name, left: Number(left) }
}
