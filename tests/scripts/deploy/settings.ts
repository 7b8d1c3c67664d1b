import { randomBytes } from 'node:crypto'

/** A configuration that can be deployed. */
export const SETTINGS = {
  BASE_URL: 'https://api.hookline.io',
  STORAGE_HOST: 'hookline-content.net',
  TOKEN_JWKS: JSON.stringify({ keys: [{ kty: 'oct', k: randomBytes(32).toString('base64url') }] }),
  RPC_NATIVECOIN: 'https://user:password@node.hookline.io:8332/',
  GENESIS_NATIVECOIN: 'ab'.repeat(32),
  RPC_DOGECOIN: 'https://user:password@doge.hookline.io/',
  RPC_BITCOIN: 'https://user:password@btc-a.hookline.io/,https://user:password@btc-b.hookline.io/',
  IPFS_GATEWAYS: 'https://trustless-gateway.link',
  IPFS_ROUTERS: 'https://delegated-ipfs.dev',
  MAIL_URL: 'https://mail.hookline.io/send',
  MAIL_TOKEN: 'mail-token',
  MAIL_FROM: 'Hookline <no-reply@hookline.io>',
  CF_API_TOKEN: 'cf-token',
  CF_ZONE_ID: '0123456789abcdef0123456789abcdef',
}
