import { BLOCKCHAINS } from '../../../../protocol/chains.ts'

/**
 * Labels below the storage host that are no site's address: those that the service has or may come to need, and those
 * that people take for the operator's own or for a service of the host (RFC 2142 names some).
 */
export const RESERVED_NAMES: readonly string[] = [
  ...BLOCKCHAINS.map((chain) => chain.toLowerCase()),
  ...words(`ipfs ipns ipld dnslink gateway node nodes chain chains devnet testnet mainnet regtest explorer faucet wallet
    wallets doge litecoin ethereum hookline`),
  ...words(`www www1 www2 web website site sites host hosts hosting home index api apis app apps console dashboard panel
    docs doc help helpdesk support contact about blog news status health metrics monitor cdn static assets media files
    file storage store upload uploads download downloads content hook frame item items domain domains`),
  ...words(`mail mails email smtp imap pop pop3 webmail mx autoconfig autodiscover postmaster hostmaster webmaster abuse
    noc security mailer-daemon no-reply noreply newsletter lists`),
  ...words(`admin admins administrator administration root sysadmin system sys operator operators owner staff team
    moderator moderators moderate official service services server servers internal local localhost localdomain
    broadcasthost wpad isatap proxy vpn dns ns ns1 ns2 ns3 ns4 ntp ftp sftp ssh git svn db database sql redis backup
    cpanel whm test tests testing staging stage dev demo example sample preview beta alpha sandbox null undefined none`),
  ...words(`account accounts user users login logout signin signout sign-in sign-up signup register registration
    password passwords passkey session sessions auth oauth sso token tokens key keys verify verification confirm secure
    pay payment payments payout payouts checkout billing bill invoice invoices refund withdraw withdrawal bank banks
    donate legal terms privacy imprint impressum dmca report reports copyright trust`),
]

/**
 * Names of others that sites are made to be mistaken for, and that are part of no usual word: no address contains one.
 */
export const IMITATED_NAMES: readonly string[] = words(`paypal google gmail youtube microsoft office365 outlook365
  onedrive sharepoint facebook instagram whatsapp linkedin netflix icloud appleid amazonaws cloudflare github gitlab
  dropbox docusign mastercard americanexpress bankofamerica wellsfargo barclays hsbc santander revolut sparkasse
  postbank commerzbank deutschebank creditagricole bnpparibas caixabank bbva coinbase binance blockchain metamask
  walletconnect trezor electrum bitpay bitstamp bitfinex opensea uniswap paypay mercadopago fedex roblox telekom`)

/** Names of others that are also words: no address is one, or looks like one. */
export const IMITATED_WORDS: readonly string[] = words(`apple amazon ebay meta twitter telegram signal discord adobe
  oracle visa amex chase citi ing wise stripe square klarna venmo zelle kraken ledger gemini bitget ups usps dhl ikea
  steam dkb irs hmrc elster seguridad-social agencia-tributaria gov government police polizei policia`)

function words(text: string): string[] {
  return text.split(/\s+/)
}
