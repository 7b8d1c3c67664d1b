// Written by scripts/api-types/generate.ts from contract/: change it there.
/* biome-ignore-all format: it is written, not edited */

/** `t` text, `n` number, `a` amount of coins, `f` flag, `u` anything; with `?`: it may be missing, or null. */
export const SHAPES = {
  ApiKey: { fields: { id: 't', name: 't', scopes: { list: 't' }, createdAt: 'n', expiresAt: 'n?', lastUsedAt: 'n?', spending: { maybe: { each: 'a' } } } },
  Blockchain: ['Nativecoin', 'Dogecoin', 'Bitcoin'],
  CreatedItem: { fields: { id: 't', chunkSize: 'n', chunks: 'n' } },
  Domain: { fields: { host: 't', item: 't?', site: 't?', status: 't', record: 't', waitsUntil: 'n?', records: { list: { fields: { type: 't', name: 't', content: 't' } } }, steps: { list: 'DomainStep' } } },
  DomainStep: { fields: { step: 't', state: 't', found: 't?', wanted: 't?', checkedAt: 'n?' } },
  Estimate: { fields: { blockchain: 'StorageTarget', paidIn: 'Blockchain', amount: 'a', networkFee: 'a', storageFee: 'a', dustFee: 'a?', transactions: 'n', readAt: 'n' } },
  Folder: { fields: { id: 't', name: 't', blockchain: 'StorageTarget', parent: 't?', item: 't?', items: 'n', createdAt: 'n' } },
  Item: { fields: { id: 't', name: 't', mimetype: 't', blockchain: 'StorageTarget', folder: 't?', path: 't?', files: 'n?', status: 'ItemStatus', message: 't?', merging: 'f?', size: 'n', storedSize: 'n?', txids: { maybe: { list: 't' } }, index: 't?', cid: 't?', transactions: 'n?', written: 'n', confirmed: 'n', received: 'n?', createdAt: 'n', links: { fields: { content: 't', web: 't?', site: 't' } }, embed: 't?' } },
  ItemStatus: ['201 Created', '402 Payment Required', '202 Accepted', '200 OK', '409 Conflict'],
  ItemTransaction: { fields: { index: 'n', txid: 't?', bytes: 'n', state: 't', depth: 'n', lastSeen: 'n?' } },
  KnownItem: { fields: { index: 'n?', id: 't', status: 'ItemStatus', payment: { maybe: { fields: { address: 't', items: 'n', expiresAt: 'n' } } } } },
  LedgerEntry: { fields: { id: 't', at: 'n', blockchain: 'Blockchain', kind: 't', subject: 't?', change: 'a', balance: 'a' } },
  Order: { fields: { id: 'OrderId', name: 't', blockchain: 'StorageTarget', createdAt: 'n', counts: { fields: { 200: 'n', 201: 'n', 202: 'n', 402: 'n', 409: 'n' } }, payments: { list: { fields: { address: 't?', paidIn: 'Blockchain', state: 't', amount: 'a', expiresAt: 'n' } } } } },
  OrderId: 't',
  Payment: { fields: { kind: 't', address: 't', blockchain: 'StorageTarget', paidIn: 'Blockchain', state: 't', amount: 'a?', networkFee: 'a?', storageFee: 'a?', dustFee: 'a?', minDeposit: 'a?', received: 'a', credited: 'a', uri: 't', confirmations: 'n', items: 'n', ids: { list: 't' }, names: { list: 't' }, transactions: { list: { fields: { txid: 't', amount: 'a', depth: 'n', seenAt: 'n', late: 'f', replaced: 'f' } } }, createdAt: 'n', expiresAt: 'n?', settledAt: 'n?', transactionCount: 'n?', storedSize: 'n?' } },
  PaymentRequest: { fields: { message: 't', amount: 'a', networkFee: 'a?', storageFee: 'a?', dustFee: 'a?', address: 't', uri: 't', expiresAt: 'n', confirmations: 'n', received: 'a' } },
  Permissions: { list: { fields: { name: 't' } } },
  Profile: { fields: { id: 't', email: 't', firstName: 't', lastName: 't', role: { fields: { name: 't', permissions: 'Permissions' } }, permissions: 'Permissions', status: 'n', createdAt: 'n', addresses: { each: 't?' }, balances: { each: 'a' }, pending: { each: 'a' }, minDeposits: { each: 'a' }, reserved: { each: 'a' }, quotas: { fields: { unpaidItems: { fields: { limit: 'n', used: 'n' } }, unpaidBytes: { fields: { limit: 'n', used: 'n' } }, merges: { fields: { limit: 'n', used: 'n' } }, folders: { fields: { limit: 'n', used: 'n' } }, domains: { fields: { limit: 'n', used: 'n' } }, sites: { fields: { limit: 'n', used: 'n' } }, unusedAddresses: { fields: { limit: 'n', used: 'n' } }, keys: { fields: { limit: 'n', used: 'n' } } } }, key: { maybe: 'ApiKey' } } },
  Receipt: { fields: { item: 't', name: 't', blockchain: 'StorageTarget', paidIn: 'Blockchain', amount: 'a', networkFee: 'a?', storageFee: 'a?', dustFee: 'a?', paidAt: 'n', fromBalance: 'a', payments: { list: { fields: { txid: 't', amount: 'a' } } }, items: 'n', index: 't?' } },
  Site: { fields: { id: 't', name: 't', host: 't', url: 't', version: 'n?', item: 't?', versions: 'n', createdAt: 'n' } },
  SiteProblem: { fields: { file: 't', line: 'n', text: 't', fault: 't', effect: 't' } },
  SiteProblems: { fields: { problems: { list: 'SiteProblem' }, more: 'f' } },
  SiteVersion: { fields: { number: 'n', item: 't', name: 't', note: 't?', blockchain: 'StorageTarget', size: 'n', url: 't', createdAt: 'n', periods: { list: { fields: { from: 'n', until: 'n?', by: 't' } } } } },
  Source: { fields: { blockchain: 'StorageTarget', name: 't', mimetype: 't', size: 'n', txids: { maybe: { list: 't' } }, index: 't?', cid: 't?' } },
  StorageTarget: ['Nativecoin', 'Dogecoin', 'Bitcoin', 'IPFS'],
  Target: { fields: { blockchain: 'StorageTarget', available: 'f', reason: 't?', paidIn: 'Blockchain', maxFileBytes: 'n', maxIncompressibleBytes: 'n', maxFiles: 'n', maxDataBytes: 'n?', offersIndex: 'f', confirmations: 'n', minutes: 'n' } },
  Withdrawal: { fields: { id: 't', blockchain: 'Blockchain', address: 't', amount: 'a', fee: 'a', state: 't', message: 't?', since: 'n?', txid: 't?', depth: 'n', createdAt: 'n' } },
} as const
