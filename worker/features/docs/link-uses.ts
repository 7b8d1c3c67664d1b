import { TUS_VERSION } from '../../../contract/tus.ts'

/** What a link passes on: a value of the answer, by its name in `link-sources.ts`, a list of that value, or a constant. */
export type LinkArgument = string | { each: string } | { constant: string | number | boolean }

/** An operation that uses values of other answers. A link leads to it from each answer that has all of them. */
export interface LinkUse {
  operationId: string
  description: string
  parameters: LinkArguments
  body: LinkArguments
}

type LinkArguments = Readonly<Record<string, LinkArgument>>

const use = (
  operationId: string,
  description: string,
  parameters: LinkArguments,
  body: LinkArguments = {},
): LinkUse => ({
  ...{ operationId, description, parameters, body },
})

const TUS = { 'Tus-Resumable': { constant: TUS_VERSION } }
const CONTENT = { blockchain: 'chain', txids: 'txids' } as const
const FIRST = 'By the first txid.'

/** Every operation that uses an id, an address or a token of another one's answer. */
export const LINK_USES: readonly LinkUse[] = [
  use('refreshAccess', 'Renews the access token.', {}, { token: 'refreshToken' }),
  use('revokeSession', 'Logs out.', {}, { token: 'refreshToken' }),
  use('extendSession', 'A refresh token for a week.', {}, { exp: { constant: 604_800 }, token: 'refreshToken' }),
  use('readWait', 'Whether the mailed link was followed.', { wait: 'wait' }),
  use('endSession', 'Ends the session.', { jti: 'session' }),
  use('verifyIdentity', 'Confirms the identity.', { id: 'account' }),
  use('readAudit', 'What was done about the account.', { account: 'account' }),
  use('revokeKey', 'Revokes the key.', { id: 'key' }),
  use('removePasskey', 'Removes the passkey.', { id: 'passkey' }),

  use('listFolders', 'The folders in the folder.', { parent: 'folder' }),
  use('listItems', 'The items in the folder.', { folder: 'folder' }),
  use('readFolder', 'The folder as it is now.', { id: 'folder' }),
  use('changeFolder', 'Renames or moves the folder.', { id: 'folder' }, { name: { constant: 'renamed' } }),
  use('deleteFolder', 'Deletes the folder while it is empty.', { id: 'folder' }),
  use('linkKnownFiles', 'Links known files into the folder.', { id: 'folder' }),
  use('mergeFolder', 'Merges the folder.', { id: 'folder' }),

  use('readOrder', 'The order as it is now.', { id: 'order' }),
  use('deleteOrder', 'Removes what is unpaid of the order.', { id: 'order' }),

  use('readItem', 'The item as it is now.', { id: 'item' }),
  use('uploadChunk', 'Uploads the first chunk.', { id: 'item', index: { constant: 0 } }),
  use('mergeItem', 'Merges the upload.', { id: 'item' }),
  use('mergeItems', 'Merges the upload, with others.', {}, { items: { each: 'item' } }),
  use('requestPayment', 'What the item costs, and where to pay.', {}, { blockchain: 'target', ids: { each: 'item' } }),
  use('changeItem', 'Renames or moves the item.', { id: 'item' }, { name: { constant: 'renamed.txt' } }),
  use('deleteItem', 'Deletes the item while it is unpaid.', { id: 'item' }),
  use('listItemTransactions', 'The transactions of the item.', { id: 'item' }),
  use('listSiteProblems', 'The faulty lines of its site files.', { id: 'item' }),
  use('readReceipt', 'What the item cost.', { id: 'item' }),
  use('retryItem', 'Resumes the stopped item.', { id: 'item' }),
  use('readSource', 'What the stored item is made of.', { id: 'item' }),
  use('readContent', 'The content of the stored item.', { id: 'item' }),
  use('readContentFile', 'A file of the stored directory.', { id: 'item', path: { constant: 'index.html' } }),
  use('headBlob', 'Whether the item is stored, and its length.', { id: 'item' }),

  use('readUpload', 'What is held of the upload.', { id: 'upload' }),
  use('readUploadOffset', 'The offset at which it continues.', { id: 'upload', ...TUS }),
  use('appendToUpload', 'Sends what is missing.', { id: 'upload', ...TUS, 'Upload-Offset': 'offset' }),
  use('overrideUploadMethod', 'The same, for clients without PATCH.', {
    id: 'upload',
    ...TUS,
    'Upload-Offset': 'offset',
    'X-HTTP-Method-Override': { constant: 'PATCH' },
  }),
  use('terminateUpload', 'Abandons the upload.', { id: 'upload', ...TUS }),

  use('listPayments', 'What arrived at the address.', { address: 'address' }),
  use('cancelPayment', 'Cancels the payment request.', {}, { address: 'requestAddress' }),
  use('createAddress', 'An address for deposits.', { blockchain: 'target' }),
  use('quoteWithdrawal', 'What taking money out costs.', { blockchain: 'chain' }),

  use('cancelWithdrawal', 'Cancels the withdrawal.', { id: 'withdrawal' }),
  use('consentToFee', 'Accepts a higher fee.', { id: 'withdrawal' }, { maxFee: { constant: '0.0001' } }),
  use(
    'decideWithdrawal',
    'Ends the withdrawal, or lets it continue.',
    { id: 'withdrawal' },
    { act: { constant: 'refund' }, reason: { constant: 'Requested by mail.' } },
  ),
  use(
    'assignSend',
    'Says what left the wallet.',
    { txid: 'send' },
    { as: { constant: 'withdrawal' }, reason: { constant: 'As its record says.' } },
  ),
  use(
    'stopChain',
    'Stops payouts of the chain.',
    { blockchain: 'chain' },
    { payouts: { constant: true }, writing: { constant: false }, reason: { constant: 'An incident.' } },
  ),

  use('readBlob', 'What the transactions hold, as hex.', {}, CONTENT),
  use('readWeb', 'What the transactions hold, decoded.', {}, CONTENT),
  use('readTransactions', 'The transactions themselves.', {}, CONTENT),
  use('readChunk', FIRST, { blockchain: 'chain', txid: 'txid' }),
  use('readWebByPath', FIRST, { blockchain: 'chain', txids: 'txid' }),
  use('readWebFile', FIRST, { blockchain: 'chain', txids: 'txid', path: { constant: 'index.html' } }),
  use('readTransactionsByPath', FIRST, { blockchain: 'chain', txids: 'txid' }),
  use('readIpfs', 'What the CID names.', { path: 'cid' }),
  use('readIpfsHex', 'What the CID names, as hex.', { path: 'cid' }),

  use('readSite', 'The site as it is now.', { id: 'site' }),
  use('renameSite', 'Renames the site.', { id: 'site' }, { name: { constant: 'renamed' } }),
  use('deleteSite', 'Deletes the site.', { id: 'site' }),
  use('listSiteVersions', 'The versions of the site.', { id: 'site' }),
  use('addSiteVersion', 'Adds a version to the site.', { id: 'site' }),
  use('switchSiteVersion', 'Makes the version current.', { id: 'site' }, { version: 'version' }),
  use('listDomains', 'The hosts that show the site.', { site: 'site' }),
  use('readDomain', 'The host as it is now.', { host: 'host' }),
  use('checkClaim', 'Says whether the host could be claimed.', { host: 'host' }),
  use('checkDomain', 'Checks the host.', { host: 'host' }),
  use('giveUpDomain', 'Releases the host.', { host: 'host' }),

  use('decideReport', 'Decides the report.', { id: 'report' }),
  use('liftDenial', 'Removes it from the denylist.', {}, { kind: 'deniedKind', value: 'deniedValue' }),
  use('testWebhook', 'Sends the webhook a message to try it.', { id: 'webhook' }),
  use('resumeWebhook', 'Resumes a paused webhook.', { id: 'webhook' }),
  use('deleteWebhook', 'Deletes the webhook.', { id: 'webhook' }),
  use('decideSetAside', 'Decides about the record.', { id: 'setAside' }),
  use('writeOffDeposit', 'Writes the deposit off again, where it came back and went.', { id: 'deposit' }),
]
