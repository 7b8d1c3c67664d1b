import { beforeEach, describe, expect, it } from 'vitest'
import { upsertProblem, upsertStep } from '../../worker/chain/follower/chain-states.ts'
import { insertAdmission } from '../../worker/content/cache/admissions.ts'
import { sweepCache } from '../../worker/content/cache/sweep-cache.ts'
import { selectDeniedChanges } from '../../worker/content/denylist/denied.ts'
import { claimDenylistLook, replaceDenylistImport } from '../../worker/content/denylist/denylist-import.ts'
import { closeUser } from '../../worker/features/accounts/close-account.ts'
import { redeemReset } from '../../worker/features/accounts/follow-link.ts'
import { claimKey, releaseKey, sweepKeys } from '../../worker/features/auth/idempotency/idempotency-keys.ts'
import { insertAttempt } from '../../worker/features/auth/sql/attempts.ts'
import { deleteCredential } from '../../worker/features/auth/sql/credentials.ts'
import { redeemVerifyLink } from '../../worker/features/auth/sql/mail-links.ts'
import {
  deleteSession,
  endReusedSession,
  insertSession,
  insertSessionBeside,
} from '../../worker/features/auth/sql/sessions.ts'
import { consumeSignUpWait } from '../../worker/features/auth/sql/sign-up-waits.ts'
import { confirmIdentity, updateNames, updatePassword } from '../../worker/features/auth/sql/users.ts'
import {
  claimDelivery,
  makeDeliveries,
  recordFailedDelivery,
  sweepDeliveries,
} from '../../worker/features/events/sql/deliveries.ts'
import {
  insertStreamLease,
  renewStreamLease,
  sweepStreamLeases,
} from '../../worker/features/events/sql/event-streams.ts'
import {
  deleteEndedWebhooks,
  deleteWebhook,
  insertWebhook,
  resumeWebhook,
  updateSecrets,
} from '../../worker/features/events/sql/webhooks.ts'
import { deleteOldEmptyFolders } from '../../worker/features/items/sql/folders.ts'
import { insertLinks } from '../../worker/features/items/sql/linked-files.ts'
import {
  abandonDirectory,
  beginMerges,
  finishDirectoryMerge,
  finishImport,
  finishMerges,
  insertDirectory,
  insertUploads,
  refuseMerge,
} from '../../worker/features/items/sql/move-items.ts'
import {
  acquireUploadLease,
  renewUploadLease,
  requestUploadLease,
} from '../../worker/features/items/sql/upload-leases.ts'
import { putChunk, putTail } from '../../worker/features/items/sql/upload-objects.ts'
import { claimReconciliation } from '../../worker/features/operate/sql/reconciliations.ts'
import { sumLedger, sumMined } from '../../worker/features/payments/sql/money-sums.ts'
import { insertDenied, liftDenied } from '../../worker/features/reports/sql/deny.ts'
import { insertReport } from '../../worker/features/reports/sql/reports.ts'
import {
  claimDomain,
  expireClaim,
  updateDomainStatus,
  upsertDomainAnswer,
} from '../../worker/features/sites/sql/domains.ts'
import { withdrawAddress } from '../../worker/features/sites/sql/site-addresses.ts'
import { deleteSite } from '../../worker/features/sites/sql/sites.ts'
import {
  deleteOldWaits,
  deleteWaitingDomain,
  upsertWaitingDomain,
} from '../../worker/features/sites/sql/waiting-domains.ts'
import { insertSweptBundles } from '../../worker/features/transactions/sql/signed-bytes.ts'
import { batchIf } from '../../worker/platform/d1/guarded-batch.ts'
import { sweepAudit } from '../../worker/platform/records/audit-log.ts'
import { sweepEvents } from '../../worker/platform/records/event-queue.ts'
import { faultyEnv } from './faulty-env.ts'
import { add, clear } from './rows.ts'

const NOW = 1_800_000_000_000

const user = {
  ...{ id: 'ada', email: 'ada@x.example', passwordHash: '', firstName: '', lastName: '', role: 'user' as const },
  ...{ status: 1 as const, tokenEpoch: 0, createdAt: 0 },
}
const session = { jti: 'session', userId: 'ada', createdAt: NOW, expiresAt: NOW + 1000 }
const claim = { userId: 'ada', key: 'key', request: 'hash', attempt: 'first' }
const link = { jti: 'link', userId: 'ada', kind: 'verify' as const, createdAt: 0, expiresAt: NOW }
const webhook = {
  ...{ id: 'hook', userId: 'ada', url: 'https://shop.example.com/', types: [], createdAt: NOW, secret: '' },
  ...({ madeBy: 'login', keyId: undefined, endsAt: undefined } as const),
}
const delivery = {
  ...{ webhookId: 'hook', url: '', secret: '', seq: 1, type: 'item.stored', data: '{}', at: 0 },
  ...{ attempts: 0, nextAttemptAt: 0 },
}
const quotas = { unpaidItems: 1, unpaidBytes: 1 }
const file = {
  id: 'item',
  userId: 'ada',
  folderId: null,
  name: 'a.txt',
  mimetype: 'text/plain',
  size: 1,
  createdAt: 0,
}
const upload = { ...file, blockchain: 'Bitcoin' as const, chunkSize: 1, chunks: 1 }
const denied = { kind: 'txid' as const, value: 'ab', digest: 'cd' }
const domain = {
  ...{ host: 'x.example', kind: 'item' as const, id: 'item', userId: 'ada', status: 'pending', record: '' },
  ...{ steps: null, customHostnameId: null },
}
const list = { url: null, etag: null, object: null, previous: null, entries: 0, skipped: 0, leftOut: 0 }
const bytes = { bytes: new Uint8Array(1), index: 0 }

beforeEach(() => clear('events'))

/** How often `work` asks the database and the bucket: each time is a way there and back, and is paid for. */
async function countCalls(work: (env: ReturnType<typeof faultyEnv>['env']) => Promise<unknown>): Promise<number> {
  const { env, calls } = faultyEnv(undefined)
  await work(env)
  return calls()
}

const ONE_CALL: Record<string, (db: D1Database) => Promise<unknown>> = {
  'a key of the API that is revoked': (db) => deleteCredential(db, 'key', { id: 'key', userId: 'ada' }, NOW),
  'a passkey that is removed': (db) => deleteCredential(db, 'passkey', { id: 'passkey', userId: 'ada' }, NOW),
  'an attempt that is counted': (db) =>
    insertAttempt(db, { id: 'a', kind: 'login', address: '', client: '', at: NOW }, [
      { by: ['client'], most: 1, within: 1 },
    ]),
  'a key of one request that is let go': (db) => releaseKey(db, claim),
  'a sweep of such keys': (db) => sweepKeys(db, NOW),
  'an address that is verified': (db) => redeemVerifyLink(db, link, 1, NOW),
  'a password that is reset': (db) =>
    redeemReset(db, link, { passwordHash: 'new', verifiedStatus: 1, address: '' }, NOW),
  'a login': (db) => insertSession(db, session, user),
  'a session beside another': (db) => insertSessionBeside(db, 'parent', session, { longAfter: 1, mostLong: 1 }),
  'a session that ends because a copy of its token was used': (db) => endReusedSession(db, 'session', 'ada', NOW),
  'a logout': (db) => deleteSession(db, 'session', 'ada', NOW),
  'a sign-up that asks whether it was verified': (db) => consumeSignUpWait(db, 'wait', NOW),
  'a name that is changed': (db) => updateNames(db, 'ada', { firstName: 'Ada', lastName: undefined }),
  'a password that is changed': (db) => updatePassword(db, user, 'new', undefined, NOW),
  'an account that is closed': (db) => closeUser(db, user, NOW),
  'an identity that is confirmed': (db) => confirmIdentity(db, 'ada', 'operator', NOW),
  'a sweep of the audit log': (db) => sweepAudit(db, NOW),
  'bytes that a cache admits': (db) => insertAdmission(db, 'chain', 1, 10, NOW),
  'a step that ended well': (db) => upsertStep(db, 'Bitcoin', undefined, NOW),
  'a step that failed': (db) => upsertProblem(db, 'Bitcoin', 'no node', NOW),
  'a look at a denylist': (db) => claimDenylistLook(db, 0, NOW),
  'a denylist that is put in force': (db) => replaceDenylistImport(db, list, NOW),
  'a look for events of which there are none': (db) => makeDeliveries(db, NOW),
  'a delivery that is taken on': (db) => claimDelivery(db, delivery, NOW),
  'a delivery that failed': (db) =>
    recordFailedDelivery(db, delivery, { problem: 'down', retryAt: NOW, offBefore: 0, offAtOnce: false }, NOW),
  'a sweep of deliveries': (db) => sweepDeliveries(db),
  'a sweep of events': (db) => sweepEvents(db, NOW),
  'a stream of events that begins': (db) =>
    insertStreamLease(db, { id: 's', userId: 'ada', tokenEpoch: 0, keyId: undefined, expiresAt: NOW }, 3, NOW),
  'a stream of events that goes on': (db) => renewStreamLease(db, 's', NOW),
  'a sweep of streams': (db) => sweepStreamLeases(db, NOW),
  'a webhook that is made': (db) => insertWebhook(db, webhook, { most: 5, epoch: 0 }),
  'a webhook that goes on': (db) => resumeWebhook(db, 'ada', 'hook', NOW),
  'a sweep of webhooks': (db) => deleteEndedWebhooks(db, NOW),
  'secrets that are encrypted anew': (db) => updateSecrets(db, [{ id: 'hook', from: 'a', to: 'b' }]),
  'a webhook that is removed': (db) => deleteWebhook(db, 'ada', 'hook', NOW),
  'a guarded batch': (db) => batchIf(db, [db.prepare('SELECT 1')]),
  'a sweep of folders': (db) => deleteOldEmptyFolders(db, 0, 1),
  'files that are linked': (db) => insertLinks(db, 'ada', [], quotas, NOW),
  'items that are created': (db) => insertUploads(db, 'ada', [upload], quotas),
  'a directory that is begun': (db) =>
    insertDirectory(
      db,
      { ...file, blockchain: 'IPFS', folderId: null, directoryOf: 'folder' },
      ['folder'],
      ['item'],
      1,
    ),
  'merges that begin together': (db) => beginMerges(db, 'ada', ['item'], 1, NOW),
  'a merge that is refused': (db) => refuseMerge(db, 'item', { code: 'content_too_large', message: '' }, NOW),
  'a merge that ends': (db) =>
    finishMerges(db, [{ id: 'item', storedSize: 1, transactions: 1, maxDataBytes: 1, cid: null }], NOW),
  'an import that ends': (db) => finishImport(db, 'item', { cid: 'c', storedSize: 1 }, NOW),
  'a directory that is merged': (db) =>
    finishDirectoryMerge(db, 'item', { cid: 'c', storedSize: 1, transactions: 0, maxDataBytes: null, files: [] }, NOW),
  'a directory that is given up': (db) => abandonDirectory(db, 'item', NOW),
  'a writer of an upload that begins': (db) => acquireUploadLease(db, 'item', 'one', NOW),
  'a writer of an upload that goes on': (db) =>
    renewUploadLease(db, { itemId: 'item', holder: 'one', idle: false }, NOW),
  'a writer of an upload that waits': (db) => requestUploadLease(db, 'item', NOW),
  'a reconciliation that is taken on': (db) => claimReconciliation(db, 0, NOW),
  'a report': (db) =>
    insertReport(
      db,
      { ...denied, id: 'report', blockchain: 'Bitcoin', reason: '', evidence: undefined, at: NOW },
      undefined,
      { statements: 1, open: 1, openOfNetwork: 1, networks: 1, ofClient: 1, since: 0 },
    ),
  'content that is denied': (db) => insertDenied(db, { ...denied, reason: '', deniedBy: 'operator' }, NOW),
  'content that is denied no more': (db) => liftDenied(db, denied, { by: 'operator', reason: undefined, now: NOW }),
  'a look at what was denied since': (db) => selectDeniedChanges(db, 0, 10),
  'a host that is claimed': (db) => claimDomain(db, domain, NOW, 0, 1),
  'a host that was set up': (db) => updateDomainStatus(db, domain, 'id', 'active'),
  'a host that nobody uses': (db) => expireClaim(db, domain, 0),
  'an answer that is kept of a host': (db) => upsertDomainAnswer(db, 'x.example', 'item', NOW, 0),
  'a site that is removed': (db) => deleteSite(db, 'ada', 'site', NOW),
  'an address of a site that is withdrawn': (db) => withdrawAddress(db, 'almanac', { by: 'ada', reason: '', at: NOW }),
  'a host that is waited for': (db) => upsertWaitingDomain(db, { ...domain, waitUntil: NOW }, NOW, 1),
  'a host that is waited for no more': (db) => deleteWaitingDomain(db, 'x.example', 'ada'),
  'a sweep of hosts that are waited for': (db) => deleteOldWaits(db, 0, 1),
  'signed bytes that are swept': (db) => insertSweptBundles(db, 'Bitcoin', ['bundle']),
}

describe('what is written', () => {
  it.each(Object.entries(ONE_CALL))('costs one call of the database: %s', async (_, work) => {
    expect(await countCalls(({ DB }) => work(DB))).toBe(1)
  })

  it('costs a second call where it has to be read, too', async () => {
    expect(await countCalls(({ DB }) => claimKey(DB, claim, NOW))).toBe(2)
    await add('events', { user_id: 'ada' })
    expect(await countCalls(({ DB }) => makeDeliveries(DB, NOW))).toBe(2)
  })

  it('costs a call for each part of a sum that is read', async () => {
    expect(await countCalls(({ DB }) => sumLedger(DB, 'Bitcoin'))).toBe(2)
    expect(await countCalls(({ DB }) => sumMined(DB, 'Bitcoin'))).toBe(2)
  })

  it('costs one call of the bucket for a chunk, and one for what is there of the next', async () => {
    const chunk = { ...bytes, sha256: '' }
    expect(await countCalls(({ BUCKET }) => putChunk(BUCKET, 'calls', chunk, undefined))).toBe(1)
    expect(await countCalls(({ BUCKET }) => putTail(BUCKET, 'calls', bytes, undefined))).toBe(1)
  })

  it('costs a list and two calls of the database to sweep a prefix that nothing is below', async () => {
    expect(await countCalls((env) => sweepCache(env, 'nothing/', NOW))).toBe(3)
  })
})
