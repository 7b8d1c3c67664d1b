/** Where values of an answer are, as runtime expressions of OpenAPI, by the names that `link-uses.ts` uses too. */
export type LinkValues = Readonly<Partial<Record<string, string>>>

/** An answer that has values which other operations use. */
export interface LinkSource {
  operationId: string
  statuses: readonly string[]
  values: LinkValues
}

/** Values of the JSON of an answer, below `pointer` (RFC 6901). */
function inBody(pointer: string, fields: LinkValues): LinkValues {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, `$response.body#${pointer}/${field}`]))
}

const source = (operationId: string, status: string | readonly string[], values: LinkValues): LinkSource => ({
  operationId,
  statuses: [status].flat(),
  values,
})

/** The first row of a list stands for each of them. */
const first = (list: string): string => `/${list}/0`

const REFRESH = { refreshToken: 'refreshToken' }
const ITEM = { item: 'id', folder: 'folder', target: 'blockchain', cid: 'cid' }
const CONTENT = { chain: 'blockchain', txids: 'txids', txid: 'txids/0' }
const FOLDER = { folder: 'id' }
const UPLOAD = { upload: 'id', item: 'id', offset: 'received', folder: 'folder' }
const PAYMENT = { address: 'address', requestAddress: 'address', item: 'ids/0', target: 'blockchain', chain: 'paidIn' }
const WITHDRAWAL = { withdrawal: 'id', chain: 'blockchain' }
const SITE = { site: 'id', item: 'item', version: 'version' }
const VERSION = { item: 'item', version: 'number' }
const DOMAIN = { host: 'host', item: 'item', site: 'site' }
const IN_PATH = { site: { site: '$request.path.id' }, upload: { upload: '$request.path.id' } } as const

/** Every answer with an id, an address or a token that another operation uses. */
export const LINK_SOURCES: readonly LinkSource[] = [
  source('logIn', '200', inBody('', REFRESH)),
  source('refreshAccess', '201', inBody('', REFRESH)),
  source('extendSession', '201', inBody('', REFRESH)),
  source('signUp', '201', inBody('', { wait: 'wait' })),
  source('readProfile', '200', inBody('', { account: 'id' })),
  source('changeProfile', '200', inBody('', { account: 'id' })),
  source('listUsers', '200', inBody(first('users'), { account: 'id' })),
  source('readAudit', '200', inBody(first('entries'), { account: 'account' })),
  source('listSessions', '200', inBody(first('sessions'), { session: 'jti' })),
  source('createKey', '201', inBody('', { key: 'id' })),
  source('listKeys', '200', inBody(first('keys'), { key: 'id' })),
  source('addPasskey', '201', inBody('', { passkey: 'id' })),
  source('listPasskeys', '200', inBody(first('passkeys'), { passkey: 'id' })),

  source('listTargets', '200', inBody(first('targets'), { target: 'blockchain', chain: 'paidIn' })),
  source('createFolder', '201', inBody('', FOLDER)),
  source('listFolders', '200', inBody(first('folders'), { ...FOLDER, item: 'item' })),
  ...['readFolder', 'changeFolder'].map((id) => source(id, '200', inBody('', { ...FOLDER, item: 'item' }))),
  source('listOrders', '200', inBody(first('orders'), { order: 'id', target: 'blockchain' })),
  source('readOrder', '200', inBody('', { order: 'id', target: 'blockchain' })),
  source('createItem', '201', { ...inBody('', { item: 'id' }), target: '$request.body#/blockchain' }),
  source('listItems', '200', inBody(first('items'), { ...ITEM, ...CONTENT })),
  source('readItem', '200', inBody('', { ...ITEM, ...CONTENT })),
  source('changeItem', '200', inBody('', { ...ITEM, ...CONTENT })),
  source('findKnownItems', '200', inBody(first('known'), { item: 'id' })),
  source('retryItem', '202', inBody('', { ...ITEM, ...CONTENT })),
  source('mergeItem', ['200', '202'], inBody('', ITEM)),
  source('mergeFolder', ['200', '202'], inBody('', ITEM)),
  source('mergeItems', '200', inBody(first('items'), { item: 'id' })),
  source('readSource', '200', inBody('', { ...CONTENT, cid: 'cid' })),
  source('listUploads', '200', inBody(first('uploads'), UPLOAD)),
  source('readUpload', '200', { ...IN_PATH.upload, ...inBody('', { offset: 'received' }) }),
  source('readUploadOffset', '200', { ...IN_PATH.upload, offset: '$response.header.Upload-Offset' }),
  source('appendToUpload', '204', { ...IN_PATH.upload, offset: '$response.header.Upload-Offset' }),
  source('importCar', '201', inBody('', { cid: 'roots/0' })),

  source('requestPayment', '402', inBody('', { address: 'address', requestAddress: 'address' })),
  source('createAddress', '200', inBody('', { address: 'address' })),
  source('listPayments', '200', inBody(first('payments'), PAYMENT)),
  source('readReceipt', '200', inBody('', { item: 'item' })),
  source('withdraw', '201', inBody('', WITHDRAWAL)),
  source('cancelWithdrawal', '200', inBody('', WITHDRAWAL)),
  source('consentToFee', '200', inBody('', WITHDRAWAL)),
  source('decideWithdrawal', '200', inBody('', WITHDRAWAL)),
  source('listWithdrawals', '200', inBody(first('withdrawals'), WITHDRAWAL)),
  source('listPaidOut', '200', inBody(first('withdrawals'), WITHDRAWAL)),
  source('listSweeps', '200', inBody(first('withdrawals'), WITHDRAWAL)),
  source('listSends', '200', inBody(first('sends'), { send: 'txid', chain: 'blockchain' })),
  source('assignSend', '200', inBody('', { send: 'txid', chain: 'blockchain' })),
  source('addWebhook', '201', inBody('', { webhook: 'id' })),
  source('listWebhooks', '200', inBody(first('webhooks'), { webhook: 'id' })),

  source('createSite', '201', inBody('', SITE)),
  source('readSite', '200', inBody('', SITE)),
  source('renameSite', '200', inBody('', SITE)),
  source('listSites', '200', inBody(first('sites'), SITE)),
  source('switchSiteVersion', '200', inBody('', SITE)),
  source('addSiteVersion', ['200', '201'], { ...IN_PATH.site, ...inBody('', VERSION) }),
  source('listSiteVersions', '200', { ...IN_PATH.site, ...inBody(first('versions'), VERSION) }),
  source('claimDomain', ['201', '202'], inBody('', DOMAIN)),
  source('readDomain', '200', inBody('', DOMAIN)),
  source('checkDomain', '200', inBody('', DOMAIN)),
  source('listDomains', '200', inBody(first('domains'), DOMAIN)),

  source('deny', '204', { deniedKind: '$request.body#/kind', deniedValue: '$request.body#/value' }),
  source('listDenied', '200', inBody(first('denied'), { deniedKind: 'kind', deniedValue: 'value' })),
  source('report', '201', inBody('', { report: 'id' })),
  source('listReports', '200', inBody(first('reports'), { report: 'id' })),
  source('decideReport', '200', inBody('', { report: 'id' })),
  source('listSetAside', '200', inBody(first('records'), { setAside: 'id', account: 'owner' })),
  source('decideSetAside', '200', inBody('', { setAside: 'id', account: 'owner' })),
  source('writeOffDeposit', '200', inBody('', { deposit: 'id', account: 'account', chain: 'blockchain' })),
]
