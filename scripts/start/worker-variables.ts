import { BLOCKCHAINS, type Blockchain } from '../../protocol/chains.ts'
import { VARIABLES } from '../../worker/platform/config/config.ts'
import type { StartEnvironment } from './read-environment.ts'

/** What runs beside the Worker on this machine. */
export interface LocalServices {
  rpcUrl(blockchain: Blockchain): string
  outboxUrl: string
  /** JWK set. */
  tokenKeys: string
}

/** The settings of the Worker: those of this machine's services, and over them what the environment says itself. */
export function workerVariables(
  { port, blockMs, baseUrl }: StartEnvironment,
  { rpcUrl, outboxUrl, tokenKeys }: LocalServices,
  env: Record<string, string | undefined>,
): Record<string, string> {
  const variables: Record<string, string> = {
    BASE_URL: baseUrl,
    STORAGE_HOST: `storage.localhost:${port}`,
    TOKEN_JWKS: tokenKeys,
    MAIL_URL: outboxUrl,
    MAIL_TOKEN: 'devnet',
    MAIL_FROM: 'Hookline <hookline@localhost>',
  }
  for (const blockchain of BLOCKCHAINS) {
    const name = blockchain.toUpperCase()
    variables[`RPC_${name}`] = rpcUrl(blockchain)
    if (env[`RPC_${name}`]) continue
    // An embedded chain has no rivals: one block is as good as six.
    variables[`CONFIRMATIONS_${name}`] = '1'
    variables[`BLOCK_SECONDS_${name}`] = String(Math.max(1, Math.ceil(blockMs / 1000)))
  }
  for (const name of VARIABLES) {
    const own = env[name]
    if (own !== undefined) variables[name] = own
  }
  variables.INSCRIPTIONS ??= BLOCKCHAINS.join(',')
  if (variables.MAIL_URL === outboxUrl) variables.CONSOLE_OUTBOX ??= outboxUrl
  if (allEmbedded(env)) {
    variables.CONSOLE_FAUCET ??= new URL('/faucet', outboxUrl).href
    variables.PRICE_URL ??= new URL('/prices', outboxUrl).href
  }
  return variables
}

/** Whether every chain is an embedded one. */
export function allEmbedded(env: Record<string, string | undefined>): boolean {
  return BLOCKCHAINS.every((blockchain) => !env[`RPC_${blockchain.toUpperCase()}`])
}
