import { createHash } from 'node:crypto'
import { hostName } from '../../worker/platform/http/host-name.ts'
import { NODES, SECRET_KEYS } from './check-deploy.ts'
import { bucketName, databaseName, workerName } from './wrangler-config.ts'

type Settings = Record<string, string | undefined>

/**
 * What an environment has in common with others of this machine and must not: the second deployment would replace the
 * first, or both would spend from one wallet or accept each other's tokens.
 */
export function findCollisions(settings: Settings, others: Record<string, Settings>): string[] {
  const own = uses(settings)
  return Object.entries(others).flatMap(([name, other]) => {
    const theirs = new Map(uses(other).map(({ what, value }) => [`${what} ${value}`, what]))
    return own
      .filter(({ what, value }) => theirs.has(`${what} ${value}`))
      .map(({ setting, what }) => `${setting} is also in .env.${name}: two environments cannot have the same ${what}`)
  })
}

interface Use {
  setting: string
  /** What may be used once, in words. */
  what: string
  value: string
}

function uses(settings: Settings): Use[] {
  // Two accounts can have the same names.
  const account = settings.CLOUDFLARE_ACCOUNT_ID ?? ''
  const named: Use[] = [
    { setting: 'WORKER_NAME', what: 'Worker', value: `${account} ${workerName(settings)}` },
    { setting: 'D1_NAME', what: 'database', value: `${account} ${databaseName(settings)}` },
    { setting: 'R2_NAME', what: 'bucket', value: `${account} ${bucketName(settings)}` },
  ]
  const hosts = [
    { setting: 'BASE_URL', what: 'host', value: hostName(URL.parse(settings.BASE_URL ?? '')?.hostname ?? '') },
    { setting: 'STORAGE_HOST', what: 'host', value: hostName(settings.STORAGE_HOST ?? '') },
  ]
  const keys = SECRET_KEYS.map((setting) => ({ setting, what: 'key', value: digest(settings[setting] ?? '') }))
  const wallets = NODES.map((setting) => {
    const node = URL.parse(settings[setting]?.split(',')[0]?.trim() ?? '')
    const wallet = settings[setting.replace('RPC_', 'RPC_WALLET_')] ?? ''
    return { setting, what: 'wallet', value: node ? `${node.host}${node.pathname} ${wallet}` : '' }
  })
  return [...named, ...[...hosts, ...keys, ...wallets].filter(({ value }) => value !== '')]
}

/** Keys are compared, never kept as they are. */
function digest(secret: string): string {
  return secret === '' ? '' : createHash('sha256').update(secret).digest('hex')
}
