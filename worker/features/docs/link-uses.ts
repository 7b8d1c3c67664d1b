import { TUS_VERSION } from '../../../contract/tus.ts'

/** What operations answer and others take, by the name that `link-sources.ts` and this file know it by. */
export type LinkedValue =
  | 'account'
  | 'address'
  | 'chain'
  | 'cid'
  | 'deniedKind'
  | 'deniedValue'
  | 'deposit'
  | 'folder'
  | 'host'
  | 'item'
  | 'key'
  | 'offset'
  | 'order'
  | 'passkey'
  | 'refreshToken'
  | 'report'
  | 'requestAddress'
  | 'psbt'
  | 'signedPsbt'
  | 'send'
  | 'session'
  | 'setAside'
  | 'site'
  | 'target'
  | 'txid'
  | 'txids'
  | 'upload'
  | 'version'
  | 'wait'
  | 'webhook'
  | 'withdrawal'

/** What a link hands on: a value of the answer, a list of that one value, or always the same. */
export type LinkArgument = LinkedValue | { each: LinkedValue } | { constant: string | number | boolean }

/** An operation that takes values of other answers. A link leads to it from each answer that has all of them. */
export interface LinkUse {
  operationId: string
  parameters?: Readonly<Record<string, LinkArgument>>
  body?: Readonly<Record<string, LinkArgument>>
  description: string
}

const TUS = { 'Tus-Resumable': { constant: TUS_VERSION } }
const CONTENT = { blockchain: 'chain', txids: 'txids' } as const
const FIRST = 'By the first txid.'

/** Every operation that takes an id, an address or a token of another one's answer. */
export const LINK_USES: readonly LinkUse[] = [
  { operationId: 'refreshAccess', body: { token: 'refreshToken' }, description: 'Renews the access token.' },
  { operationId: 'revokeSession', body: { token: 'refreshToken' }, description: 'Logs out.' },
  {
    operationId: 'extendSession',
    body: { exp: { constant: 604_800 }, token: 'refreshToken' },
    description: 'A refresh token for a week.',
  },
  { operationId: 'readWait', parameters: { wait: 'wait' }, description: 'Whether the mailed link was followed.' },
  { operationId: 'endSession', parameters: { jti: 'session' }, description: 'Ends the session.' },
  { operationId: 'verifyIdentity', parameters: { id: 'account' }, description: 'Confirms the identity.' },
  { operationId: 'readAudit', parameters: { account: 'account' }, description: 'What was done about the account.' },
  { operationId: 'revokeKey', parameters: { id: 'key' }, description: 'Revokes the key.' },
  { operationId: 'removePasskey', parameters: { id: 'passkey' }, description: 'Removes the passkey.' },

  { operationId: 'listFolders', parameters: { parent: 'folder' }, description: 'The folders in the folder.' },
  { operationId: 'listItems', parameters: { folder: 'folder' }, description: 'The items in the folder.' },
  { operationId: 'readFolder', parameters: { id: 'folder' }, description: 'The folder as it is now.' },
  {
    operationId: 'changeFolder',
    parameters: { id: 'folder' },
    body: { name: { constant: 'renamed' } },
    description: 'Renames or moves the folder.',
  },
  { operationId: 'deleteFolder', parameters: { id: 'folder' }, description: 'Deletes the folder while it is empty.' },
  { operationId: 'linkKnownFiles', parameters: { id: 'folder' }, description: 'Links known files into the folder.' },
  { operationId: 'mergeFolder', parameters: { id: 'folder' }, description: 'Merges the folder.' },

  { operationId: 'readOrder', parameters: { id: 'order' }, description: 'The order as it is now.' },
  { operationId: 'deleteOrder', parameters: { id: 'order' }, description: 'Removes what is unpaid of the order.' },

  { operationId: 'readItem', parameters: { id: 'item' }, description: 'The item as it is now.' },
  {
    operationId: 'uploadChunk',
    parameters: { id: 'item', index: { constant: 0 } },
    description: 'Uploads the first chunk.',
  },
  { operationId: 'mergeItem', parameters: { id: 'item' }, description: 'Merges the upload.' },
  { operationId: 'mergeItems', body: { items: { each: 'item' } }, description: 'Merges the upload, with others.' },
  {
    operationId: 'requestPayment',
    body: { blockchain: 'target', ids: { each: 'item' } },
    description: 'What the item costs, and where to pay.',
  },
  {
    operationId: 'changeItem',
    parameters: { id: 'item' },
    body: { name: { constant: 'renamed.txt' } },
    description: 'Renames or moves the item.',
  },
  { operationId: 'deleteItem', parameters: { id: 'item' }, description: 'Deletes the item while it is unpaid.' },
  { operationId: 'listItemTransactions', parameters: { id: 'item' }, description: 'The transactions of the item.' },
  { operationId: 'listSiteProblems', parameters: { id: 'item' }, description: 'The faulty lines of its site files.' },
  { operationId: 'readReceipt', parameters: { id: 'item' }, description: 'What the item cost.' },
  { operationId: 'retryItem', parameters: { id: 'item' }, description: 'Lets the item go on where it was stopped.' },
  { operationId: 'readSource', parameters: { id: 'item' }, description: 'What the stored item is made of.' },
  { operationId: 'readContent', parameters: { id: 'item' }, description: 'The content of the stored item.' },
  {
    operationId: 'readContentFile',
    parameters: { id: 'item', path: { constant: 'index.html' } },
    description: 'A file of the stored directory.',
  },
  { operationId: 'headBlob', parameters: { id: 'item' }, description: 'Whether the item is stored, and its length.' },

  { operationId: 'readUpload', parameters: { id: 'upload' }, description: 'What is held of the upload.' },
  { operationId: 'readUploadOffset', parameters: { id: 'upload', ...TUS }, description: 'Where it goes on.' },
  {
    operationId: 'appendToUpload',
    parameters: { id: 'upload', ...TUS, 'Upload-Offset': 'offset' },
    description: 'Sends what is missing.',
  },
  {
    operationId: 'overrideUploadMethod',
    parameters: { id: 'upload', ...TUS, 'Upload-Offset': 'offset', 'X-HTTP-Method-Override': { constant: 'PATCH' } },
    description: 'The same, for clients without PATCH.',
  },
  { operationId: 'terminateUpload', parameters: { id: 'upload', ...TUS }, description: 'Gives the upload up.' },

  { operationId: 'listPayments', parameters: { address: 'address' }, description: 'What arrived at the address.' },
  { operationId: 'cancelPayment', body: { address: 'requestAddress' }, description: 'Cancels the payment request.' },
  { operationId: 'createAddress', parameters: { blockchain: 'target' }, description: 'An address for deposits.' },
  { operationId: 'quoteWithdrawal', parameters: { blockchain: 'chain' }, description: 'What taking money out costs.' },

  { operationId: 'cancelWithdrawal', parameters: { id: 'withdrawal' }, description: 'Cancels the withdrawal.' },
  {
    operationId: 'consentToFee',
    parameters: { id: 'withdrawal' },
    body: { maxFee: { constant: '0.0001' } },
    description: 'Lets it cost more.',
  },
  {
    operationId: 'decideWithdrawal',
    parameters: { id: 'withdrawal' },
    body: { act: { constant: 'refund' }, reason: { constant: 'Asked for by mail.' } },
    description: 'Ends the withdrawal, or lets it go.',
  },
  {
    operationId: 'returnPsbt',
    parameters: { id: 'psbt' },
    body: { psbt: 'signedPsbt' },
    description: 'Gives it back, signed.',
  },
  {
    operationId: 'assignSend',
    parameters: { txid: 'send' },
    body: { as: { constant: 'withdrawal' }, reason: { constant: 'As its record says.' } },
    description: 'Says what left the wallet.',
  },
  {
    operationId: 'stopChain',
    parameters: { blockchain: 'chain' },
    body: { payouts: { constant: true }, writing: { constant: false }, reason: { constant: 'An incident.' } },
    description: 'Stops payouts of the chain.',
  },

  { operationId: 'readBlob', body: CONTENT, description: 'What the transactions hold, as hex.' },
  { operationId: 'readWeb', body: CONTENT, description: 'What the transactions hold, decoded.' },
  { operationId: 'readTransactions', body: CONTENT, description: 'The transactions themselves.' },
  { operationId: 'readChunk', parameters: { blockchain: 'chain', txid: 'txid' }, description: FIRST },
  { operationId: 'readWebByPath', parameters: { blockchain: 'chain', txids: 'txid' }, description: FIRST },
  {
    operationId: 'readWebFile',
    parameters: { blockchain: 'chain', txids: 'txid', path: { constant: 'index.html' } },
    description: FIRST,
  },
  { operationId: 'readTransactionsByPath', parameters: { blockchain: 'chain', txids: 'txid' }, description: FIRST },
  { operationId: 'readIpfs', parameters: { path: 'cid' }, description: 'What the CID names.' },
  { operationId: 'readIpfsHex', parameters: { path: 'cid' }, description: 'What the CID names, as hex.' },

  { operationId: 'readSite', parameters: { id: 'site' }, description: 'The site as it is now.' },
  {
    operationId: 'renameSite',
    parameters: { id: 'site' },
    body: { name: { constant: 'renamed' } },
    description: 'Renames the site.',
  },
  { operationId: 'deleteSite', parameters: { id: 'site' }, description: 'Deletes the site.' },
  { operationId: 'listSiteVersions', parameters: { id: 'site' }, description: 'The versions of the site.' },
  { operationId: 'addSiteVersion', parameters: { id: 'site' }, description: 'Adds a version to the site.' },
  {
    operationId: 'switchSiteVersion',
    parameters: { id: 'site' },
    body: { version: 'version' },
    description: 'Makes the version current.',
  },
  { operationId: 'listDomains', parameters: { site: 'site' }, description: 'The hosts that show the site.' },
  { operationId: 'readDomain', parameters: { host: 'host' }, description: 'The host as it is now.' },
  { operationId: 'checkClaim', parameters: { host: 'host' }, description: 'Says whether the host could be claimed.' },
  { operationId: 'checkDomain', parameters: { host: 'host' }, description: 'Checks the host.' },
  { operationId: 'giveUpDomain', parameters: { host: 'host' }, description: 'Gives the host up.' },

  { operationId: 'decideReport', parameters: { id: 'report' }, description: 'Decides the report.' },
  {
    operationId: 'liftDenial',
    body: { kind: 'deniedKind', value: 'deniedValue' },
    description: 'Takes it off the denylist.',
  },
  { operationId: 'testWebhook', parameters: { id: 'webhook' }, description: 'Sends the webhook a message to try it.' },
  { operationId: 'resumeWebhook', parameters: { id: 'webhook' }, description: 'Lets a paused webhook go on.' },
  { operationId: 'deleteWebhook', parameters: { id: 'webhook' }, description: 'Deletes the webhook.' },
  { operationId: 'decideSetAside', parameters: { id: 'setAside' }, description: 'Decides about the record.' },
  {
    operationId: 'writeOffDeposit',
    parameters: { id: 'deposit' },
    description: 'Writes the deposit off again, where it came back and went.',
  },
]
