/** Settings of the main Worker that would be wrong on a machine of one's own, and why. */
export const REFUSED_SETTINGS = {
  TRUST_FORWARDED_HOST: 'TRUSTED_PROXIES says which proxies are believed',
  FRONT_KEY: 'TRUSTED_PROXIES says which proxies are believed',
  WEBHOOK_LOOPBACK: 'it is for npm start only',
  CONSOLE_OUTBOX: 'everybody could read the mails',
  CONSOLE_FAUCET: 'it gives away coins of test chains',
} as const
